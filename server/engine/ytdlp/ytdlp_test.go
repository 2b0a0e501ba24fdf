package ytdlp_test

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
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

// beep is four seconds of sound.
var beep = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=4", "-c:a", "mp2", "-f", "mp2", "-").Output()
})

// bench is a downloader and a site that it may reach, with the guard between them.
type bench struct {
	*ytdlp.Downloader
	site  *sitetest.Site
	url   string // of the site
	media []byte
	host  engine.Host
	dir   string // the host's
	// program is the path of the program.
	program string
	log     *log // the guard's, and of what the program complains
}

// newBench returns a bench whose program is the one at that path. Without a path the
// program is yt-dlp with the extractors that read any page.
func newBench(t *testing.T, program string, change ...func(*run.Config, *ytdlp.Options)) *bench {
	t.Helper()
	media, err := beep()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "beep.mp3")
	require.NoError(t, os.WriteFile(path, media, 0o600))
	b := &bench{site: sitetest.New(path), media: media, dir: t.TempDir(), log: new(log)}
	server := httptest.NewServer(b.site)
	t.Cleanup(server.Close)
	b.url = server.URL
	guard, err := egress.New(egress.Config{
		Allow: []string{server.Listener.Addr().String()},
		Log:   slog.New(slog.NewTextHandler(b.log, nil)),
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, guard.Close()) })
	// What stands in for the program keeps its files beside itself.
	runner := run.Config{Dir: b.dir, Guard: guard, WithoutLandlock: program != "" && program != installed.program}
	if program == "" {
		program = installed.script("yt-dlp-pages")
	}
	options := ytdlp.Options{Program: program, Log: slog.New(slog.NewTextHandler(b.log, nil))}
	for _, f := range change {
		f(&runner, &options)
	}
	b.program = options.Program
	programs, err := run.New(runner)
	require.NoError(t, err)
	b.host = engine.Host{Programs: programs, Confined: true, Judge: guard.JudgeLink, Dir: b.dir}
	b.Downloader, err = ytdlp.New(b.host, options)
	require.NoError(t, err)
	return b
}

// log is a buffer for several writers.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// content is the recording at a page of the site.
func (b *bench) content(id string) engine.Content {
	return engine.Content{Platform: transcript.VideoSite, ExternalID: id, URL: b.url + sitetest.Watch(id)}
}

// captions reads the track in a language.
func (b *bench) captions(t *testing.T, id, lang string) (engine.Captions, error) {
	return b.Captions(t.Context(), b.content(id), func(tracks []transcript.Track) (int, bool) {
		for i, track := range tracks {
			if track.Lang == lang {
				return i, true
			}
		}
		return 0, false
	})
}

// clean holds that nothing is left in the host's directory.
func (b *bench) clean(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(b.dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// coded holds that an error bears a code, and tells its caller nothing of what
// the program said.
func coded(t *testing.T, err error, code transcript.Code) transcript.Error {
	t.Helper()
	var e *transcript.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, code, e.Code, "%v", err)
	assert.NotContains(t, e.Message, "ERROR")
	return *e
}

// manyRuns skips a test that starts the program many times, with -short. The other tests run the
// program once for each kind of answer, and make test-all runs all.
func manyRuns(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("many runs of another program: make test-all")
	}
}
