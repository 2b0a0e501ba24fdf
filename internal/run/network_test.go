//go:build unix

package run_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// newSite serves a handler on loopback and counts its requests.
func newSite(t *testing.T, handler http.HandlerFunc) (s *httptest.Server, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s, requests
}

func hello(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }

func newGuard(t *testing.T, c egress.Config) *egress.Guard {
	t.Helper()
	g, err := egress.New(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close()) })
	return g
}

func curl(links ...string) engine.Command {
	return engine.Command{
		Program: "curl", Args: append([]string{"-sS", "-m", "20"}, links...),
		Network: &engine.Network{Job: "job-1"},
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	s, _ := newSite(t, hello)
	other, reached := newSite(t, hello)
	var log bytes.Buffer
	g := newGuard(t, egress.Config{
		Allow: []string{s.Listener.Addr().String()}, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	r, _ := newRunner(t, run.Config{Guard: g})

	exit, err := r.Run(t.Context(), curl(s.URL))
	require.NoError(t, err)
	assert.Equal(t, "hello", string(exit.Stdout), string(exit.Stderr))
	assert.Empty(t, exit.Refused)

	exit, err = r.Run(t.Context(), curl(other.URL, "http://localhost:22/", s.URL))
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(exit.Stdout), "hello"))
	assert.Equal(t, []string{other.Listener.Addr().String(), "localhost:22"}, exit.Refused)
	assert.Zero(t, reached.Load())
	assert.Contains(t, log.String(), "job=job-1 address="+other.Listener.Addr().String())
}

// TestNoWayRoundTheGuard: what a server's user has set up has no effect.
func TestNoWayRoundTheGuard(t *testing.T) {
	s, reached := newSite(t, hello)
	home := t.TempDir()
	// A curl that reads this goes without a proxy.
	for _, name := range []string{".curlrc", "curlrc"} {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte("noproxy = \"*\"\n"), 0o600))
	}
	for _, key := range []string{"HOME", "CURL_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(key, home)
	}
	for _, key := range []string{"NO_PROXY", "no_proxy"} {
		t.Setenv(key, "*")
	}
	// The runner's own variables do not win over the guard's either.
	r, _ := newRunner(t, run.Config{
		Guard: newGuard(t, egress.Config{}),
		Env:   []string{"no_proxy=*", "NO_PROXY=127.0.0.1", "http_proxy=", "ALL_PROXY="},
	})
	exit, err := r.Run(t.Context(), curl(s.URL))
	require.NoError(t, err)
	assert.Contains(t, string(exit.Stdout), "refused", string(exit.Stderr))
	assert.Equal(t, []string{s.Listener.Addr().String()}, exit.Refused)
	assert.Zero(t, reached.Load())
}

// leaving ends a run when the program has written.
type leaving context.CancelFunc

func (leave leaving) Write(p []byte) (int, error) {
	leave()
	return len(p), nil
}

func TestPasswordEndsWithTheRun(t *testing.T) {
	t.Parallel()
	s, reached := newSite(t, hello)
	g := newGuard(t, egress.Config{Allow: []string{s.Listener.Addr().String()}})
	r, _ := newRunner(t, run.Config{Guard: g})
	show := sh("echo $http_proxy")
	show.Network = &engine.Network{Job: "job"}
	seen := make(map[string]bool)
	for _, end := range []string{"", "; exit 3", "; kill -9 $$", "; sleep 1000"} {
		c := show
		c.Args = []string{"-c", "echo $http_proxy" + end}
		ctx, leave := context.WithCancel(t.Context())
		var out bytes.Buffer
		c.Stdout = &out
		if strings.Contains(end, "sleep") {
			c.Stdout = io.MultiWriter(&out, leaving(leave))
		}
		_, err := r.Run(ctx, c)
		if ctx.Err() == nil {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, context.Canceled)
		}
		leave()
		proxy, err := url.Parse(strings.TrimSpace(out.String()))
		require.NoError(t, err)
		assert.Equal(t, "job", proxy.User.Username())
		assert.False(t, seen[proxy.String()], "a password of its own for each run")
		seen[proxy.String()] = true

		transport := &http.Transport{Proxy: http.ProxyURL(proxy)}
		res, err := (&http.Client{Transport: transport}).Get(s.URL)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		transport.CloseIdleConnections()
		assert.Equal(t, http.StatusProxyAuthRequired, res.StatusCode, end)
	}
	assert.Zero(t, reached.Load())
}

func TestBytesReceivedLimit(t *testing.T) {
	t.Parallel()
	s, _ := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 32<<10)
		for range 1 << 10 { // 32 MiB
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	g := newGuard(t, egress.Config{Allow: []string{s.Listener.Addr().String()}})
	r, base := newRunner(t, run.Config{Guard: g})
	// A program that goes on as if nothing had happened.
	c := sh("curl -sS " + s.URL + " http://127.0.0.1:1/ > out; sleep 1000")
	c.Dir = t.TempDir()
	c.Network = &engine.Network{Job: "job", MaxBytes: 1 << 20}
	_, err := r.Run(t.Context(), c)
	var limit *engine.LimitError
	require.ErrorAs(t, err, &limit)
	assert.Equal(t, engine.LimitError{Program: "sh", Limit: "bytes received", Max: "1048576 bytes"}, *limit)
	info, err := os.Stat(filepath.Join(c.Dir, "out"))
	require.NoError(t, err)
	assert.LessOrEqual(t, info.Size(), int64(1<<20))
	left, err := os.ReadDir(base)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestNetworkThatCannotBeHad(t *testing.T) {
	t.Parallel()
	without, _ := newRunner(t, run.Config{})
	_, err := without.Run(t.Context(), curl("http://site.test/"))
	require.ErrorContains(t, err, "there is no egress guard")

	g := newGuard(t, egress.Config{})
	r, _ := newRunner(t, run.Config{Guard: g})
	c := curl("http://site.test/")
	c.Network = &engine.Network{Job: "no such name"}
	_, err = r.Run(t.Context(), c)
	require.ErrorContains(t, err, `job "no such name"`)

	require.NoError(t, g.Close())
	_, err = r.Run(t.Context(), curl("http://site.test/"))
	require.ErrorIs(t, err, egress.ErrClosed)
}

// TestNoNetworkAsked: a program that asks for no network is told of none.
func TestNoNetworkAsked(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{Guard: newGuard(t, egress.Config{})})
	exit, err := r.Run(t.Context(), sh("env"))
	require.NoError(t, err)
	assert.NotContains(t, strings.ToLower(string(exit.Stdout)), "proxy")
	assert.Nil(t, exit.Refused)
}

// TestGuardClosedDuringARun ends the program.
func TestGuardClosedDuringARun(t *testing.T) {
	t.Parallel()
	g := newGuard(t, egress.Config{})
	r, _ := newRunner(t, run.Config{Guard: g})
	a := newAlive(t)
	c := sh("echo started; sleep 1000")
	c.Stdout = a.write
	c.Network = &engine.Network{Job: "job"}
	done := make(chan error, 1)
	go func() {
		_, err := r.Run(t.Context(), c)
		done <- err
	}()
	<-a.first
	require.NoError(t, g.Close())
	require.ErrorIs(t, <-done, egress.ErrClosed)
	require.NoError(t, a.write.Close())
	a.requireEnd(t)
}

// TestRealProgramsKeepToTheGuard with what yt-dlp and ffmpeg find behind a link.
func TestRealProgramsKeepToTheGuard(t *testing.T) {
	t.Parallel()
	target, reached := newSite(t, hello)
	at := target.Listener.Addr().String()
	port := at[strings.LastIndexByte(at, ':'):]
	page, _ := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/redirect" {
			http.Redirect(w, r, target.URL+"/private.mp4", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "application/x-mpegURL")
		_, _ = fmt.Fprintf(w, "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n%s/segment.ts\n#EXT-X-ENDLIST\n", target.URL)
	})
	g := newGuard(t, egress.Config{Allow: []string{page.Listener.Addr().String()}})
	r, _ := newRunner(t, run.Config{Guard: g, Limits: engine.Limits{Wall: time.Minute}})
	ytdlp := []string{
		"--ignore-config", "--retries", "0", "--fragment-retries", "0", "--abort-on-unavailable-fragments",
		"--downloader", "native", "-o", "out", "--",
	}
	ffmpeg := []string{"-nostdin", "-v", "error", "-protocol_whitelist", "http,tcp,hls", "-f", "null", "-", "-i"}
	type call struct {
		program string
		args    []string
		link    string
	}
	calls := []call{
		{"yt-dlp", ytdlp, page.URL + "/redirect"},
		{"yt-dlp", ytdlp, page.URL + "/v.m3u8"},
		{"ffmpeg", ffmpeg, target.URL + "/v.mp4"},
		{"ffmpeg", ffmpeg, page.URL + "/redirect"},
		{"ffmpeg", ffmpeg, page.URL + "/v.m3u8"},
	}
	if !testing.Short() { // yt-dlp starts slowly, and the tests of egress ask for these addresses without it
		calls = append(calls,
			call{"yt-dlp", ytdlp, target.URL + "/v.mp4"},
			call{"yt-dlp", ytdlp, "http://2130706433" + port + "/v.mp4"},
			call{"yt-dlp", ytdlp, "ftp://127.0.0.1" + port + "/v.mp4"},
		)
	}
	for _, c := range calls {
		exit, err := r.Run(t.Context(), engine.Command{
			Program: c.program, Args: append(c.args[:len(c.args):len(c.args)], c.link),
			Network: &engine.Network{Job: "job"},
		})
		require.NoError(t, err, c)
		require.NotEmpty(t, exit.Refused, "%s %s: %s", c.program, c.link, exit.Stderr)
		assert.True(t, strings.HasSuffix(exit.Refused[0], port), exit.Refused)
	}
	assert.Zero(t, reached.Load())
}
