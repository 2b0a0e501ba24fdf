package ytdlp_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// target is a listener on a private address that nobody must reach.
func target(t *testing.T) (address string, untouched func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() }) // closed already when the test came to its end
	touched := make(chan net.Conn, 100)
	go func() {
		defer close(touched)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
			touched <- conn
		}
	}()
	return l.Addr().String(), func() {
		t.Helper()
		_ = l.Close()
		n := 0
		for range touched {
			n++
		}
		assert.Zero(t, n, "connections to the target")
	}
}

// A page that leads to an address that is not public gets nowhere.
func TestLures(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	b := newBench(t, "")
	address, untouched := target(t)
	lures := b.site.Lures(address)
	tests := []struct {
		does string
		code transcript.Code
		logs string // "" when the program itself keeps away from it
	}{
		{"HTTP redirect", transcript.UpstreamFailed, address},
		{"redirect to a file", transcript.UpstreamFailed, ""},
		{"HLS segment", transcript.UpstreamFailed, address},
		{"HLS file segment", transcript.UpstreamFailed, ""},
		{"HLS key", transcript.UpstreamFailed, address},
		{"JSON-LD contentUrl", transcript.UpstreamFailed, address},
		{"source http", transcript.UpstreamFailed, address},
		{"source ftp", transcript.Unavailable, ""},
		{"source file", transcript.Unavailable, ""},
		{"source rtmp", transcript.Unavailable, ""},
		{"caption track", transcript.UpstreamFailed, address},
		{"caption track rtmp", transcript.UpstreamFailed, ""},
		{"caption track rtsp", transcript.UpstreamFailed, ""},
		{"caption track ftp", transcript.UpstreamFailed, ""},
		{"caption track file", transcript.UpstreamFailed, ""},
	}
	assert.Len(t, tests, len(lures))
	t.Run("each", func(t *testing.T) {
		for _, tt := range tests {
			t.Run(tt.does, func(t *testing.T) {
				t.Parallel()
				var err error
				if strings.HasPrefix(tt.does, "caption track") {
					_, err = b.captions(t, lures[tt.does], "en")
				} else {
					_, err = b.Audio(t.Context(), b.content(lures[tt.does]), t.TempDir(), engine.AudioOptions{})
				}
				e := coded(t, err, tt.code)
				assert.NotContains(t, e.Message, address)
				if strings.HasPrefix(tt.does, "caption track ") {
					assert.ErrorContains(t, err, "captions only as vtt at ")
				}
				if tt.logs != "" {
					assert.ErrorContains(t, err, "the egress guard refused "+tt.logs)
					assert.Contains(t, b.log.String(), "job=ytdlp-"+lures[tt.does])
				}
			})
		}
	})
	untouched()
}

// A link to an address that is not public is content that is not there.
func TestPrivateLinks(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	b := newBench(t, "")
	address, untouched := target(t)
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	links := []string{
		"http://" + address + "/",
		"https://" + address + "/",
		"http://2130706433:" + port + "/",
		"http://0177.0.0.1:" + port + "/",
		"http://0x7f.1:" + port + "/",
		"http://[::1]:" + port + "/",
		"http://[::ffff:127.0.0.1]:" + port + "/",
		"http://100.64.0.1/",
		"http://localhost:" + port + "/",
		"http://LOCALHOST/",
	}
	t.Run("each", func(t *testing.T) {
		for _, link := range links {
			t.Run(link, func(t *testing.T) {
				t.Parallel()
				found, err := b.Captions(t.Context(), engine.Content{URL: link}, nil)
				coded(t, err, transcript.Unavailable)
				assert.ErrorContains(t, err, "the egress guard refused")
				assert.Nil(t, found.Tracks)
			})
		}
	})
	untouched()
}

// What is no http link never reaches the program.
func TestNoLinks(t *testing.T) {
	t.Parallel()
	b := newBench(t, "/no/such/program")
	for _, link := range []string{
		"", "--exec", "-U", "--", "watch?v=x", "dQw4w9WgXcQ", "//host/x", "http://", "http:///x",
		"ftp://127.0.0.1/x.mp4", "file:///etc/passwd", "data:text/html,x", "ytsearch:x", "ytsearch5:x", "javascript:1",
		"http://user@site.example/", "http://user:secret@site.example/", "http://site.example/\x00", "http://[::1/",
	} {
		_, err := b.Captions(t.Context(), engine.Content{URL: link}, nil)
		coded(t, err, transcript.Unavailable)
		_, err = b.Audio(t.Context(), engine.Content{URL: link}, t.TempDir(), engine.AudioOptions{})
		coded(t, err, transcript.Unavailable)
	}
}

// An id that looks like an option is part of a link.
func TestIDsLikeOptions(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	b := newBench(t, "")
	for _, id := range []string{"--exec", "-U", "--exec=touch x"} {
		_, err := b.captions(t, strings.ReplaceAll(id, " ", "%20"), "en")
		coded(t, err, transcript.Unavailable)
	}
	assert.Equal(t, 1, b.site.Requests("/watch?v=--exec"))
	b.clean(t)
}

// What the server's user has set up for yt-dlp has no effect.
func TestMachineSetUp(t *testing.T) {
	home := t.TempDir()
	marker := filepath.Join(home, "marker")
	config := "--exec 'before_dl:touch " + marker + "'\n--exec 'touch " + marker + "'\n"
	for _, path := range []string{".config/yt-dlp/config", ".config/yt-dlp.conf", "yt-dlp.conf", ".yt-dlp/config"} {
		path = filepath.Join(home, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(config), 0o600))
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	for _, key := range []string{"NO_PROXY", "no_proxy"} {
		t.Setenv(key, "*")
	}
	b := newBench(t, installed.program)
	address, untouched := target(t)
	lures := b.site.Lures(address)

	_, err := b.Audio(t.Context(), b.content(sitetest.NoTracks), t.TempDir(), engine.AudioOptions{})
	require.NoError(t, err)
	assert.NoFileExists(t, marker)
	_, err = b.captions(t, lures["HTTP redirect"], "en")
	coded(t, err, transcript.UpstreamFailed)
	untouched()

	// The trap does work.
	trapped := exec.Command("yt-dlp", "-q", b.url+"/media")
	trapped.Dir = t.TempDir()
	out, err := trapped.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.FileExists(t, marker)
}

// When the context ends, so does the program, soon, and the error is the cause.
func TestCancel(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	asked := make(chan struct{})
	b.site.Page("hangs-on-01", func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	draining := errors.New("draining")
	var ended time.Time
	go func() {
		<-asked
		ended = time.Now()
		cancel(draining)
	}()
	_, err := b.Audio(ctx, b.content("hangs-on-01"), t.TempDir(), engine.AudioOptions{})
	assert.Equal(t, draining, err)
	assert.Less(t, time.Since(ended), time.Minute, "the program by itself would go on for minutes")
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, path := range processes {
		command, _ := os.ReadFile(path) // gone meanwhile, most likely
		assert.False(t, bytes.Contains(command, []byte(b.url)), "%s", command)
	}
	b.clean(t)
}

// Several calls at once do not get in each other's way.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	t.Run("calls", func(t *testing.T) {
		for lang, text := range map[string]string{"en": "hello world", "de": "hallo Welt"} {
			t.Run(lang, func(t *testing.T) {
				t.Parallel()
				found, err := b.captions(t, sitetest.TwoTracks, lang)
				require.NoError(t, err)
				assert.Equal(t, text, found.Segments[0].Text)
			})
		}
		dir := t.TempDir()
		for range 2 {
			t.Run("audio", func(t *testing.T) {
				t.Parallel()
				path, err := b.Audio(t.Context(), b.content(sitetest.NoTracks), dir, engine.AudioOptions{})
				require.NoError(t, err)
				got, err := os.ReadFile(path)
				require.NoError(t, err)
				assert.Equal(t, b.media, got)
			})
		}
	})
	b.clean(t)
}
