package ytdlp_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// plugins is the folder of the plugin that make setup installs.
func plugins(t *testing.T) string {
	t.Helper()
	if installed.program == "yt-dlp" {
		t.Skip("the distribution's release knows no token providers")
	}
	found, err := filepath.Glob("../../../bin/yt-dlp-plugins/lib/python3*/site-packages/yt_dlp_plugins")
	require.NoError(t, err)
	if len(found) == 0 {
		t.Skip("make setup has not reached the Python package index, which has the plugin")
	}
	folder, err := filepath.Abs(filepath.Join(found[0], "../.."))
	require.NoError(t, err)
	return folder
}

// provider is a server with the HTTP API of bgutil-ytdlp-pot-provider 2.0.2, with tokens of its
// own. To make a token it asks a site by the proxy of the question, as the real one does.
type provider struct {
	t     *testing.T
	exit  string           // the link that it asks
	does  http.HandlerFunc // in place of an answer to /get_pot; nil: a token
	mu    sync.Mutex
	asked []string // paths
	proxy string   // of the last question
	exits int      // answers of the site
}

const aToken = "dG9rZW4tb2YtdGhlLXByb3ZpZGVyXzAxMjM0NTY3ODlhYmNkZWZnaGlq"

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.URL.Path)
	p.mu.Unlock()
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/ping":
		_, _ = io.WriteString(w, `{"server_uptime":12.345,"version":"2.0.2"}`)
	case r.Method == http.MethodPost && r.URL.Path == "/get_pot" && p.does != nil:
		p.does(w, r)
	case r.Method == http.MethodPost && r.URL.Path == "/get_pot":
		var question struct {
			Content string `json:"content_binding"`
			Proxy   string `json:"proxy"`
		}
		if !assert.NoError(p.t, json.NewDecoder(r.Body).Decode(&question)) {
			return
		}
		p.leave(question.Proxy)
		assert.NoError(p.t, json.NewEncoder(w).Encode(map[string]string{
			"contentBinding": question.Content, "poToken": aToken, "expiresAt": "2026-11-24T05:00:00.000Z",
		}))
	default:
		http.NotFound(w, r)
	}
}

// leave asks the site by a proxy.
func (p *provider) leave(proxy string) int {
	u, err := url.Parse(proxy)
	if !assert.NoError(p.t, err) {
		return 0
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(u), DisableKeepAlives: true}}
	answer, err := client.Get(p.exit)
	if !assert.NoError(p.t, err) {
		return 0
	}
	_ = answer.Body.Close() // only its status is read
	p.mu.Lock()
	defer p.mu.Unlock()
	p.proxy = proxy
	if answer.StatusCode == http.StatusOK {
		p.exits++
	}
	return answer.StatusCode
}

func (p *provider) paths() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// withheld is a site that delivers the captions of one talk only with a token, and a downloader with the real
// plugin.
type withheld struct {
	atSite
	content  engine.Content
	provider *provider
	served   *httptest.Server // the provider
	guard    *egress.Guard
	log      *log
}

func newWithheld(t *testing.T, does http.HandlerFunc, change ...func(*ytdlp.Options)) *withheld {
	t.Helper()
	folder := plugins(t)
	site := httptest.NewUnstartedServer(nil)
	base := "http://" + site.Listener.Addr().String()
	catalog := sitetest.NewCatalog(base)
	pages := sitetest.Pages{Catalog: catalog, Says: func(id string, said map[string]any) {
		if id != sitetest.TalkID(2) {
			return
		}
		list := said["captions"].(map[string]any)["playerCaptionsTracklistRenderer"].(map[string]any)
		for _, track := range list["captionTracks"].([]map[string]any) {
			track["baseUrl"] = track["baseUrl"].(string) + "&exp=xpe"
		}
	}}.Handler()
	site.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("exp") != "" && r.URL.Query().Get("pot") != aToken {
			return // an empty answer
		}
		pages.ServeHTTP(w, r)
	})
	site.Start()
	t.Cleanup(site.Close)
	b := &withheld{provider: &provider{t: t, exit: base + "/embed/exit", does: does}, log: new(log)}
	b.served = httptest.NewServer(b.provider)
	t.Cleanup(b.served.Close)
	at, err := url.Parse(b.served.URL)
	require.NoError(t, err)
	b.guard, err = egress.New(egress.Config{Allow: []string{site.Listener.Addr().String()}, Log: b.log.logger()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.guard.Close()) })
	dir := t.TempDir()
	programs, err := run.New(run.Config{Dir: dir, Guard: b.guard})
	require.NoError(t, err)
	options := ytdlp.Options{Access: ytdlp.Access{Plugins: folder, TokenProvider: at}, Log: b.log.logger()}
	for _, f := range change {
		f(&options)
	}
	b.atSite = newAtSite(t, engine.Host{Programs: programs, Confined: true, Judge: b.guard.JudgeLink, Dir: dir}, base, "yt-dlp-site", options)
	b.content = catalog.Content(sitetest.TalkID(2))
	return b
}

func (b *withheld) read(t *testing.T) (engine.Captions, error) {
	t.Helper()
	return b.Captions(t.Context(), b.content, func([]transcript.Track) (int, bool) { return 0, true })
}

// The real plugin in the real program asks the provider from within its confinement, and the
// provider leaves by the proxy of the run.
func TestRealPluginBringsAToken(t *testing.T) {
	t.Parallel()
	b := newWithheld(t, nil)
	found, err := b.read(t)
	require.NoError(t, err, b.log)
	require.NotNil(t, found.Track, b.log)
	assert.NotEmpty(t, found.Segments)
	assert.False(t, found.Private)
	assert.Contains(t, b.provider.paths(), "/ping")
	assert.Contains(t, b.provider.paths(), "/get_pot")

	// By the run's own password, which ends with the run.
	assert.Positive(t, b.provider.exits)
	assert.Regexp(t, `^http://ytdlp-talk-000002:\w{26}@127\.0\.0\.1:\d+$`, b.provider.proxy)
	assert.Equal(t, http.StatusProxyAuthRequired, b.provider.leave(b.provider.proxy))
	said := b.log.String()
	assert.Contains(t, said, "another way leads to what the platform has refused")
	assert.Contains(t, said, `way="token provider"`)
	password := strings.TrimPrefix(strings.Split(b.provider.proxy, "@")[0], "http://ytdlp-talk-000002:")
	assert.NotContains(t, said, password)
}

// If the provider is of no help, the refusal of the plain way stays, within the time of a run.
func TestRealPluginWithoutHelp(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	for name, does := range map[string]http.HandlerFunc{
		"fails": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":"BotGuard"}`, http.StatusInternalServerError)
		},
		"refuses": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"error":"no token today"}`) },
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		},
		"lies": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"poToken":"d3JvbmctdG9rZW4tb2YtdGhlLXByb3ZpZGVyXzAxMjM0NTY3ODlhYmNk"}`)
		},
		"babbles": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"cuts":    func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"is down": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "redirects" && name != "is down" && !*soakFlag {
				t.Skip("each case runs the program several times: make soak")
			}
			b := newWithheld(t, does)
			if does == nil {
				b.served.Close()
			}
			found, err := b.read(t)
			coded(t, err, transcript.POTokenRequired)
			assert.Nil(t, found.Track)
			assert.Contains(t, b.log.String(), "another way fails too")
		})
	}
}

// The program loads no plugin, and the provider hears nothing, while the plain way works.
func TestRealPluginIsNotUsedBefore(t *testing.T) {
	t.Parallel()
	b := newWithheld(t, nil)
	b.content.ExternalID, b.content.URL = sitetest.TalkID(4), strings.Replace(b.content.URL, sitetest.TalkID(2), sitetest.TalkID(4), 1)
	found, err := b.read(t)
	require.NoError(t, err)
	assert.NotEmpty(t, found.Segments)
	_, err = b.Videos(t.Context(), []engine.Content{b.content})
	require.NoError(t, err)
	assert.Empty(t, b.provider.paths())
}
