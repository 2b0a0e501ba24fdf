package ytdlp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The names of the findings about Access.
const (
	providerName = "token provider"
	cookiesName  = "cookies"
)

// BanWarning is a warning about cookies. It continues a sentence, after a semicolon.
const BanWarning = "the platform may ban the account of these cookies"

// examine reports on the operator's additional ways to content. It asks the token provider for its
// version.
func (a Access) examine(ctx context.Context, v version) (all []engine.Finding) {
	if a.Plugins != "" {
		all = append(all, examinePlugins(a.Plugins, v))
	}
	if a.TokenProvider != nil {
		all = append(all, a.examineProvider(ctx))
	}
	for _, platform := range slices.Sorted(maps.Keys(a.Cookies)) {
		all = append(all, examineCookies(platform, a.Cookies[platform]))
	}
	return all
}

func examinePlugins(folder string, v version) engine.Finding {
	f := engine.Finding{Name: pluginsName, Status: engine.OK}
	if err := checkPlugins(folder); err != nil {
		f.Status, f.Found, f.Fails, f.Cure = engine.Broken, clip.Line(err.Error(), maxTold), "tokens after PO_TOKEN_REQUIRED", "mend the folder of plugins"
		return f
	}
	found, _ := filepath.Glob(filepath.Join(escapeGlob(folder), "*", "yt_dlp_plugins")) // only a bad pattern is an error
	var names []string
	for _, path := range found {
		names = append(names, filepath.Base(filepath.Dir(path)))
	}
	f.Found = clip.Line(strings.Join(names, ", ")+" in "+folder+", used after a refusal alone", maxTold)
	if v < withProviders {
		f.Status, f.Fails = engine.Old, "tokens after PO_TOKEN_REQUIRED: this release of yt-dlp is older than "+string(withProviders)
		f.Cure = getProgram
	}
	return f
}

// pingPatience is how long a token provider may take to tell its version.
const pingPatience = 5 * time.Second

func (a Access) examineProvider(ctx context.Context) engine.Finding {
	f := engine.Finding{Name: providerName, Status: engine.OK}
	at := a.TokenProvider.Scheme + "://" + a.TokenProvider.Host
	version, err := ping(ctx, at)
	if err != nil {
		f.Status, f.Found = engine.Broken, clip.Line(at+": "+err.Error(), maxTold)
		f.Fails, f.Cure = "tokens after PO_TOKEN_REQUIRED: the refusal stays", "start the server of bgutil-ytdlp-pot-provider at the address of the provider"
		return f
	}
	f.Found = "version " + version + ", at " + at + ", asked after a refusal alone"
	return f
}

// ping asks a token provider for its version.
func ping(ctx context.Context, at string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, pingPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/ping", nil)
	if err != nil {
		return "", err
	}
	client := http.Client{ // no proxy, because the provider belongs to the operator
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(r)
	if err != nil {
		return "", errors.New("does not answer")
	}
	defer answer.Body.Close() //nolint:errcheck // it is only read
	var said struct{ Version string }
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err != nil || answer.StatusCode != http.StatusOK || json.Unmarshal(text, &said) != nil || said.Version == "" {
		return "", fmt.Errorf("does not answer like a token provider: status %d", answer.StatusCode)
	}
	return clip.Line(said.Version, 20), nil
}

func examineCookies(platform transcript.Platform, c Cookies) engine.Finding {
	f := engine.Finding{Name: cookiesName + " of " + string(platform), Status: engine.OK}
	report, err := ReadCookies(c)
	if err != nil {
		f.Status, f.Found = engine.Broken, clip.Line(err.Error(), maxTold)
		f.Fails, f.Cure = "content behind LOGIN_REQUIRED", "export the cookies again, or leave the cookies out"
		return f
	}
	f.Found = fmt.Sprintf("%d for %s", report.Count, c.Hosts[0])
	if !report.Expires.IsZero() {
		f.Found += ", the last until " + report.Expires.Format(time.DateOnly)
	}
	if n := len(report.Others); n > 0 {
		f.Found += fmt.Sprintf("; those of %d other hosts are left out", n)
	}
	f.Found += ", used after LOGIN_REQUIRED or IP_BLOCKED alone; " + BanWarning
	return f
}
