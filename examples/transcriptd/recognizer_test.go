package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// A recording is recognized by the server that was named, with the key of the
// file, and the transcript tells by whom.
func TestServeRecognizesWithServers(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	server := recognizing(t)
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte("sk-short\n"), 0o600))
	for engine, args := range map[string][]string{
		"whisper-server": {"--asr", "whisper-server:" + server},
		"openai":         {"--asr", "openai:" + server + "/v1", "--recognizers", settingsFile(t, `{"openai": {"keyFile": %q, "model": "small"}}`, key)},
	} {
		db := newDatabase(t)
		p := start(t, nil, append(args, "--db", db)...)
		assert.Equal(t, "ok", readiness(t, p.addr)["asr"], engine)
		result, err := reader(t, db, p.addr).Transcripts.Get(t.Context(), transcript.Request{
			Source: transcript.File(recording), SendMetadata: true,
		})
		require.NoError(t, err, engine)
		assert.Equal(t, "This is a short talk.", result.Transcript.Segments[0].Text)
		assert.Equal(t, "en", result.Transcript.Lang)
		assert.Equal(t, engine, result.Transcript.Metadata["engine"])
		assert.NotContains(t, stop(t, p), "sk-short")
	}
}

// recognizing returns the URL of a server that recognizes the same words in every recording, with the
// interfaces of whisper-server and of OpenAI.
func recognizing(t *testing.T) (url string) {
	t.Helper()
	const said = `{"task":"transcribe","language":"english","duration":8.0,"text":" This is a short talk.",
		"segments":[{"id":0,"text":" This is a short talk.","start":0.5,"end":2.5,"temperature":0.0,"avg_logprob":-0.2,"no_speech_prob":0.01}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/health":
			fmt.Fprint(w, `{"status":"ok"}`)
		case "/v1/models":
			fmt.Fprint(w, `{"object":"list","data":[]}`)
		case "/inference":
			fmt.Fprint(w, said)
		case "/v1/audio/transcriptions":
			if r.Header.Get("Authorization") != "Bearer sk-short" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			fmt.Fprint(w, said)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// awaitLog reads what a process logs until a line matches.
func awaitLog(t *testing.T, p *process, what string) {
	t.Helper()
	for line, wanted := "", regexp.MustCompile(what); !wanted.MatchString(line); {
		var err error
		line, err = p.logged.ReadString('\n')
		require.NoError(t, err, "nothing logs %s", what)
	}
}

// refusing is an address that refuses connections until listen is called, and that
// nobody else gets meanwhile.
func refusing(t *testing.T) (address string, listen func() net.Listener) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	socket := os.NewFile(uintptr(fd), "socket")
	t.Cleanup(func() { assert.NoError(t, socket.Close()) })
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	at, err := syscall.Getsockname(fd)
	require.NoError(t, err)
	return fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port), func() net.Listener {
		t.Helper()
		require.NoError(t, syscall.Listen(fd, 10))
		l, err := net.FileListener(socket)
		require.NoError(t, err)
		return l
	}
}

// A recognizer that refuses connections is reported at the start and in /readyz. Its jobs
// wait, without an attempt, until it is back.
func TestServeWaitsForItsRecognizer(t *testing.T) {
	full(t)
	t.Parallel()
	needPrograms(t)
	for _, engine := range []string{"whisper-server", "openai"} {
		at, listen := refusing(t)
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := newDatabase(t)
			p := start(t, nil, "--db", db, "--asr", engine+":http://"+at)
			ready := readiness(t, p.addr)["asr"]
			assert.Contains(t, ready, "unavailable")
			if !strings.Contains(p.greeting, "cannot be reached") {
				awaitLog(t, p, `level=WARN msg="the recognizer cannot be reached: what needs it waits" asr=`+engine+` err=.*`+at)
			}
			c := reader(t, db, p.addr)
			atOnce := time.Duration(0)
			_, job, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.File(recording), Wait: &atOnce})
			require.NoError(t, err)
			awaitLog(t, p, `msg="a step failed".*step=recognize status=pending attempt=1 .*cannot reach`)
			status, err := c.Jobs.Get(t.Context(), job.JobID)
			require.NoError(t, err)
			assert.Equal(t, transcript.StageASRQueued, status.Stage)
			if engine != "whisper-server" {
				stop(t, p)
				return
			}
			back := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				fmt.Fprint(w, `{"text":" Back.","segments":[{"text":" Back.","start":0.5,"end":2.5}]}`)
			}))
			require.NoError(t, back.Listener.Close())
			back.Listener = listen()
			back.Start()
			t.Cleanup(back.Close)
			result, err := c.Jobs.Wait(t.Context(), job.JobID)
			require.NoError(t, err)
			assert.Equal(t, "Back.", result.Transcript.Segments[0].Text)
			stop(t, p)
		})
	}
}

// A wrong key is told of at the start, and by the first job at once: no waiting mends it.
func TestServeWithAWrongKey(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(refuses.Close)
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte("sk-wrong"), 0o600))
	db := newDatabase(t)
	p := start(t, nil, "--db", db, "--asr", "openai:"+refuses.URL+"/v1", "--recognizers", settingsFile(t, `{"openai": {"keyFile": %q}}`, key))
	if !strings.Contains(p.greeting, "accept the key") {
		awaitLog(t, p, `level=WARN msg="speech cannot be recognized" asr=openai err=.*does not accept the key`)
	}
	assert.Contains(t, readiness(t, p.addr)["asr"], "unavailable")
	_, err := reader(t, db, p.addr).Transcripts.Get(t.Context(), transcript.Request{Source: transcript.File(recording)})
	require.ErrorIs(t, err, transcript.ConfigError)
	assert.NotContains(t, stop(t, p), "sk-wrong")
}
