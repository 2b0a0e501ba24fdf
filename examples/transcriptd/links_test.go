package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // a PostgreSQL that the test starts by itself
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// reader is a client of a running server with a key of its own.
func reader(t *testing.T, db, addr string) *client.Client {
	t.Helper()
	must(t, "accounts", "set", "acme", "--db", db)
	key := strings.TrimSpace(must(t, "keys", "create", "--account", "acme", "--name", "ci", "--scopes", "transcripts", "--db", db).stdout)
	c, err := client.New("http://"+addr, client.WithAPIKey(key))
	require.NoError(t, err)
	return c
}

// The video site's own route is asked first; what it does not know, yt-dlp may.
func TestServeReadsTheVideoSite(t *testing.T) {
	t.Parallel()
	video := enginetest.NewSite(t)
	addr := strings.TrimPrefix(video.URL, "http://")
	links := settingsFile(t, `{"sites": {"video_site": {
		"hosts": [%[1]q], "shortHosts": [], "links": ["/watch?v={id}"], "canonical": "http://%[1]s/watch?v={id}"
	}}, "players": [{"name": "WEB", "version": "2.1", "captions": true}]}`, addr)
	db := newDatabase(t)
	p := start(t, []string{realYtDlp}, "--db", db, "--links", links, "--allow-egress", addr)
	c := reader(t, db, p.addr)
	result, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL(video.Content(enginetest.CaptionTracks).URL), Language: []string{"de"}})
	require.NoError(t, err)
	assert.Equal(t, transcript.OriginCaptionAPI, result.Transcript.Source)
	assert.Equal(t, "hallo Welt", result.Transcript.Segments[0].Text)

	_, err = c.Transcripts.Captions(t.Context(), video.Content("private").ExternalID, nil)
	require.ErrorIs(t, err, transcript.Unavailable)
	stop(t, p)
}

// A site on this machine is read when the table knows it and its address is
// allowed, and is not reached when it is not allowed.
func TestServeReadsTheLinksItMay(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	site, err := service.ServeTalks(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, site.Close()) })
	links := settingsFile(t, `{"sites": {"video_site": {
		"hosts": [%[1]q], "shortHosts": [], "links": ["/watch?v={id}"], "canonical": "http://%[1]s/watch?v={id}"
	}}}`, site.Addr())
	german := transcript.Request{Source: transcript.URL(site.Link()), Language: []string{"de"}}

	db := newDatabase(t)
	open := start(t, []string{realYtDlp, "TRANSCRIPTD_ALLOW_EGRESS=203.0.113.1:80," + site.Addr()}, "--db", db, "--links", links)
	result, err := reader(t, db, open.addr).Transcripts.Get(t.Context(), german)
	require.NoError(t, err)
	assert.Equal(t, "Dies ist ein kurzer Vortrag über ein Programm, das zuhört.", result.Transcript.Segments[0].Text)
	assert.Equal(t, transcript.OriginDownloader, result.Transcript.Source)
	stop(t, open)

	db = newDatabase(t)
	guarded := start(t, []string{realYtDlp}, "--db", db, "--links", links)
	_, err = reader(t, db, guarded.addr).Transcripts.Get(t.Context(), german)
	require.ErrorIs(t, err, transcript.Unavailable)
	assert.Contains(t, stop(t, guarded), site.Addr(), "the refusal is logged")
}

// Without yt-dlp the service runs, and says everywhere what it lacks.
func TestServeWithoutTheProgramThatReadsLinks(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	p := start(t, nil, "--db", db, "--yt-dlp", "/nowhere/yt-dlp")
	assert.Regexp(t, `level=WARN msg="links cannot be read" program=/nowhere/yt-dlp`, p.greeting)

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.addr+"/readyz", nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusOK, res.StatusCode, "uploads are taken")
	assert.Regexp(t, `"captions":"unavailable: The program yt-dlp on the server is missing: (make -C |install |leave --yt-dlp out: )`, string(body)) // as a checkout is there or not, with its own yt-dlp or without

	// Of a platform that nothing else reads; of the video site its own route may.
	_, err = reader(t, db, p.addr).Transcripts.Get(t.Context(), transcript.Request{Source: transcript.ID(transcript.ShortVideoSite, "7123456789012345678")})
	require.ErrorIs(t, err, transcript.ConfigError)
	require.ErrorContains(t, err, "yt-dlp")
	stop(t, p)
}

// A program that takes its time to tell its version holds up neither the start nor
// whoever asks whether the service is ready.
func TestServeDoesNotWaitForVersions(t *testing.T) {
	t.Parallel()
	slow := filepath.Join(t.TempDir(), "yt-dlp")
	require.NoError(t, exec.Command("sh", "-c", `printf '#!/bin/sh\nexec sleep 1000\n' >"$0"; chmod +x "$0"`, slow).Run())
	began := time.Now()
	p := start(t, nil, "--db", newDatabase(t), "--yt-dlp", slow)
	assert.Equal(t, "unavailable", readiness(t, p.addr)["captions"])
	assert.Less(t, time.Since(began), 30*time.Second, "the program is given a minute")
	stop(t, p)
}

// TestServeRemembersChecks: a program that has passed its check is ready at once after a restart,
// unless its file has changed.
func TestServeRemembersChecks(t *testing.T) {
	t.Parallel()
	links, caches, db := filepath.Join(t.TempDir(), "yt-dlp"), t.TempDir(), newDatabase(t)
	write := func(script string, at time.Time) {
		// By a program of its own: a file that another process inherits does not start.
		require.NoError(t, exec.Command("sh", "-c", `printf '#!/bin/sh\n%-20s\n' "$1" >"$0"; chmod +x "$0"`, links, script).Run())
		require.NoError(t, os.Chtimes(links, at, at))
	}
	serve := func() *process {
		return start(t, []string{"XDG_CACHE_HOME=" + caches}, "--db", db, "--asr", "none", "--yt-dlp", links, "--drain-delay", "0")
	}
	began := time.Now().Add(-time.Hour)
	write("echo 2025.01.15", began)
	p := serve()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(caches, "transcriptd", "programs", "yt-dlp.json"))
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	stop(t, p)

	write("exec sleep 1000", began) // a program of the same size and time, which gives no answer
	p = serve()
	assert.Equal(t, "ok", readiness(t, p.addr)["captions"])
	stop(t, p)

	write("exec sleep 1000", began.Add(time.Second))
	p = serve()
	assert.Equal(t, "unavailable", readiness(t, p.addr)["captions"])
	stop(t, p)
}

// No link leads to the database, whatever the operator allows.
func TestServeKeepsLinksFromItsDatabase(t *testing.T) {
	t.Parallel()
	database, err := pgconn.ParseConfig(storetest.Postgres(t).Database)
	require.NoError(t, err)
	addr := forward(t, filepath.Join(database.Host, fmt.Sprintf(".s.PGSQL.%d", database.Port)))
	url := fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", database.User, addr, database.Database)

	for _, allowed := range []string{addr, strings.Replace(addr, "127.0.0.1", "localhost", 1)} {
		code, _, stderr := finish(program(t, nil, "serve", "--listen", "127.0.0.1:0", "--db", url, "--allow-egress", allowed))
		assert.Equal(t, exitUsage, code, stderr)
		assert.Equal(t, fmt.Sprintf("transcriptd: --allow-egress: %s is the deployment's own %s, which no link may reach\n", allowed, addr), lastLine(stderr))
	}
}

// forward gives a socket in the file system an address on this machine.
func forward(t *testing.T, socket string) (addr string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var open sync.WaitGroup
	t.Cleanup(open.Wait)
	t.Cleanup(func() { _ = listener.Close() })
	open.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			to, err := net.Dial("unix", socket)
			if err != nil {
				_ = from.Close() // the other side sees it
				continue
			}
			for _, ends := range [][2]net.Conn{{from, to}, {to, from}} {
				open.Go(func() {
					_, _ = io.Copy(ends[0], ends[1]) // until one side hangs up
					_, _ = ends[0].Close(), ends[1].Close()
				})
			}
		}
	})
	return listener.Addr().String()
}

// stop ends the process in good order and returns what it logged.
func stop(t *testing.T, p *process) (log string) {
	t.Helper()
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	code, log := p.end(t)
	require.Equal(t, exitOK, code, log)
	return log
}
