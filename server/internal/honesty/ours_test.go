package honesty_test

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/linkcodes"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var releaseFlag = flag.String("release", "distribution", "run this service with this yt-dlp: distribution, or current, which make setup installs")

// sample is how many rows there are for each row that make test-all asks. There the suite of
// each source meets all conditions. make honesty and make soak ask all rows.
const sample = 4

// TestOurs compares the answers of this service with those in server/HONESTY.md. All of them
// are right.
func TestOurs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many runs of another program: make test-all")
	}
	program := releases[*releaseFlag]
	require.NotEmpty(t, program.python, "-release: want distribution or current")
	column, whole := service(t, program), *allFlag || *releaseFlag == "current"
	written, explained := readTable(t), linkcodes.Read(t, "../../../docs/operate/link-codes.md")
	var all sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i, r := range rows {
		if r.slow && !*allFlag || i%sample != 0 && !whole {
			continue
		}
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			a := column.read(t.Context(), r)
			words, ok := r.judge(a, true)
			assert.True(t, ok, "%s: %s, want %s: %s", r.name(), words, r.right.claim, a.words)
			assert.True(t, a.words == "" || linkcodes.Has(explained, transcript.Code(a.claim), a.words), "docs/operate/link-codes.md does not explain %s: %s", a.claim, a.words)
			assert.Equal(t, written.cell(column.name, i), words, "%s: run make honesty", r.name())
		})
	}
	all.Wait()
}

// atOnce is how many videos a reader is asked for at the same time.
const atOnce = 4

// release is a yt-dlp of this machine: the interpreter that has its modules.
type release struct{ name, python, near string }

var releases = map[string]release{
	"distribution": {"yt-dlp of Debian 12", "/usr/bin/python3", ""},
	"current":      {"current yt-dlp", "../../../bin/yt-dlp/bin/python", "../../../bin/yt-dlp/bin/deno"},
}

// version asks the release for its date.
func (r release) version(t *testing.T) string {
	t.Helper()
	out, err := exec.Command(r.python, "-c", "import yt_dlp; print(yt_dlp.version.__version__, end='')").Output()
	require.NoError(t, err, r.name)
	return string(out)
}

// siteProgram writes the script that runs a release against the site at base, and returns its
// path. The folder of the script has the name of the address, and holds the JavaScript runtime.
func siteProgram(t *testing.T, r release, base string) string {
	t.Helper()
	script, err := os.ReadFile("../../engine/ytdlp/testdata/yt-dlp-site")
	require.NoError(t, err)
	python, err := filepath.Abs(r.python)
	require.NoError(t, err)
	if _, err := os.Stat(python); err != nil {
		t.Skip("there is no " + r.name)
	}
	script = bytes.Replace(script, []byte("#!/usr/bin/python3\n"), []byte("#!"+python+"\n"), 1)
	dir := filepath.Join(t.TempDir(), strings.TrimPrefix(base, "http://"))
	require.NoError(t, os.Mkdir(dir, 0o700))
	if r.near != "" {
		deno, err := filepath.Abs(r.near)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(deno, filepath.Join(dir, "deno")))
	}
	program := filepath.Join(dir, "yt-dlp")
	// Another test that starts a program at this moment would keep a written file open.
	write := exec.Command("/bin/sh", "-c", `cat >"$0" && chmod 700 "$0"`, program)
	write.Stdin = bytes.NewReader(script)
	require.NoError(t, write.Run())
	return program
}

// service is this service: its sources of captions, in the order in which it asks them.
func service(t *testing.T, r release) reader {
	t.Helper()
	site := enginetest.NewWholeSite(t)
	host := site.Host(t)
	route, err := videosite.New(host, videosite.Options{Base: site.URL})
	require.NoError(t, err)
	return asked(site, "transcriptkit with "+r.name, route, downloader(t, r, host, site))
}

// alone is the adapter of yt-dlp without the site's own player.
func alone(t *testing.T, r release) reader {
	t.Helper()
	site := enginetest.NewWholeSite(t)
	return asked(site, "its adapter of "+r.name+" alone", downloader(t, r, site.Host(t), site))
}

func downloader(t *testing.T, r release, host engine.Host, site *enginetest.Site) engine.CaptionSource {
	t.Helper()
	d, err := ytdlp.New(host, ytdlp.Options{Program: siteProgram(t, r, site.URL)})
	require.NoError(t, err)
	return atSite{d}
}

// asked asks sources as a job does.
func asked(site *enginetest.Site, name string, all ...engine.CaptionSource) reader {
	sources := ask.NewSources(all, slog.New(slog.DiscardHandler), metrics.New("test"))
	return reader{name, func(ctx context.Context, r row) answer {
		sub := subject.Of(site.Content(r.condition), transcript.LanguageList{{Tag: r.language()}})
		found, err := sources.Ask(ctx, sub, func(ask.Finding, error) {})
		switch {
		case err != nil:
			return ofError(err)
		case found.Track == nil:
			return answer{claim: none}
		}
		a := answer{claim: text}
		for _, s := range found.Segments {
			a.cues = append(a.cues, s.Text)
		}
		return a
	}}
}

// atSite is a downloader that is told the video site's own links. The program asks the site of
// the test.
type atSite struct{ *ytdlp.Downloader }

func (a atSite) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	c.URL = "https://www.youtube.com/watch?v=" + c.ExternalID
	return a.Downloader.Captions(ctx, c, pick)
}
