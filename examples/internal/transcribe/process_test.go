package transcribe

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/localservice"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// asProgram makes the test binary run as the program itself, for what only a process of
// its own shows: signals and pipes.
const asProgram = "TRANSCRIBE_TEST_AS_PROGRAM"

// quickPace is how the tests watch a folder.
var quickPace = pace{every: 20 * time.Millisecond, steady: 200 * time.Millisecond, again: 50 * time.Millisecond}

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		p := newProcess("transcribe")
		p.pace = quickPace
		os.Exit(p.main(untilSignal(), os.Args[1:]))
	}
	if addr := os.Getenv(asService); addr != "" {
		if err := serve(addr); err != nil {
			fmt.Fprintln(os.Stderr, "service:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(withCache(m))
}

// withCache runs the tests with a cache of their own.
func withCache(m *testing.M) int {
	cache, err := os.MkdirTemp("", "transcribe-")
	if err == nil {
		defer os.RemoveAll(cache) //nolint:errcheck // the system removes it later
		err = os.Setenv("XDG_CACHE_HOME", cache)
	}
	if err != nil {
		panic(err)
	}
	return m.Run()
}

// program is a process of the program that asks the service.
func program(ctx context.Context, s *servertest.Server, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "TRANSCRIBE_SERVER="+s.URL, "TRANSCRIBE_KEY="+s.Key)
	return cmd
}

// watched is a standard error that tells when it holds something.
type watched struct {
	mu    sync.Mutex
	text  bytes.Buffer
	waits map[string]chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	for part, seen := range w.waits {
		if strings.Contains(w.text.String(), part) {
			close(seen)
			delete(w.waits, part)
		}
	}
	return len(p), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// await returns when it holds part.
func (w *watched) await(t *testing.T, part string) {
	t.Helper()
	w.mu.Lock()
	seen := make(chan struct{})
	if strings.Contains(w.text.String(), part) {
		close(seen)
	} else {
		if w.waits == nil {
			w.waits = map[string]chan struct{}{}
		}
		w.waits[part] = seen
	}
	w.mu.Unlock()
	select {
	case <-seen:
	case <-time.After(time.Minute):
		t.Fatalf("no %q in %s", part, w)
	}
}

// An interruption cancels the job that was begun, and the process says so.
func TestInterruptedProcess(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	release := s.Engine.Hold()
	defer release()
	var stderr watched
	cmd := program(t.Context(), s, recording(t))
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	stderr.await(t, "recognizing\n")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	assert.Equal(t, exitInterrupted, exit.ExitCode())
	assert.Regexp(t, `talk\.mp3: interrupted; the job \S+ was cancelled\n$`, stderr.String())
}

// A recording comes through a pipe as it is made; nobody knows its size.
func TestPipe(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	var stdout, stderr bytes.Buffer
	cmd := program(t.Context(), s, "-")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	pipe, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	for range 20 {
		_, err = pipe.Write(bytes.Repeat([]byte("sound"), 20_000)) // more than a pipe holds
		require.NoError(t, err)
	}
	require.NoError(t, pipe.Close())
	require.NoError(t, cmd.Wait(), stderr.String())
	assert.Equal(t, "[00:00:00] hello world\n", stdout.String())
	assert.Regexp(t, `^sending\njob \S+\nwaiting for its turn\n`, stderr.String(), "without a share")
}

// relay stands before a service, and can be away.
type relay struct {
	*httptest.Server
	away atomic.Bool
}

func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	target, err := url.Parse(to)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	r := &relay{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if r.away.Load() {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *relay) cut() {
	r.away.Store(true)
	r.CloseClientConnections()
}

// Whoever waits is told that the connection is lost, and gets the text when it is back.
func TestConnectionLost(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	release := sync.OnceFunc(s.Engine.Hold())
	defer release()
	between := newRelay(t, s.URL)
	file := recording(t)
	var stdout bytes.Buffer
	var stderr watched
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), []string{"--server", between.URL, file}, func(string) string { return s.Key }, &stdout, &stderr)
	}()
	stderr.await(t, "recognizing\n")
	between.cut()
	stderr.await(t, "connection lost, trying again in 1s\n")
	between.away.Store(false)
	release()
	assert.Equal(t, exitOK, <-ended, stderr.String())
	assert.Equal(t, "[00:00:00] hello world\n", stdout.String())
}

// What comes on standard input cannot be sent twice: it is said so, and why.
func TestPipeWhoseConnectionIsLost(t *testing.T) {
	t.Parallel()
	s := &service{submit: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	var stderr bytes.Buffer
	p := process{name: "transcribe", getenv: func(string) string { return key }, stdin: strings.NewReader("the media"), stdout: io.Discard, stderr: &stderr, pace: quickPace}
	assert.Equal(t, exitFailure, p.main(t.Context(), []string{"--server", srv.URL, "-"}))
	assert.Contains(t, stderr.String(), "transcribe: standard input: ")
	assert.Contains(t, stderr.String(), "cannot be sent again: save the recording to a file")
}

// begin begins a job whose recognition is held.
func begin(t *testing.T, s *servertest.Server, r transcript.Request) (id string, release func()) {
	t.Helper()
	release = sync.OnceFunc(s.Engine.Hold())
	t.Cleanup(release)
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(t, err)
	atOnce := time.Duration(0)
	r.Source, r.Wait = transcript.File(recording(t)), &atOnce
	_, job, err := c.Transcripts.Submit(t.Context(), r)
	require.NoError(t, err)
	return job.JobID, release
}

// Whoever has lost a job goes on with it, whatever it was asked for as.
func TestGoOnWithAJob(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	id, release := begin(t, s, transcript.Request{Format: transcript.Text})
	var stdout bytes.Buffer
	var stderr watched
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), []string{"--server", s.URL, "--format", "srt", "--job", id}, func(string) string { return s.Key }, &stdout, &stderr)
	}()
	stderr.await(t, "recognizing\n")
	release()
	assert.Equal(t, exitOK, <-ended, stderr.String())
	assert.Contains(t, stdout.String(), "-->")

	code, _, said := transcribe(t.Context(), s, "", "--job", "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11")
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, said, "404 NOT_FOUND")
	assert.NotContains(t, said, "goes on")
}

// Who only looks on takes nothing away from who began the job.
func TestInterruptedLookerOn(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	id, _ := begin(t, s, transcript.Request{})
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stderr watched
	ended := make(chan int)
	go func() {
		ended <- run(ctx, []string{"--server", s.URL, "--job", id}, func(string) string { return s.Key }, io.Discard, &stderr)
	}()
	stderr.await(t, "recognizing\n")
	interrupt()
	assert.Equal(t, exitInterrupted, <-ended)
	assert.Contains(t, stderr.String(), `interrupted; the job goes on: "transcribe --job `+id+`" returns to it`)
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(t, err)
	job, err := c.Jobs.Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, transcript.JobProcessing, job.Status)
}

// Without a server and a key, the program finds the service of this machine.
func TestLocalService(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	state := t.TempDir()
	folder := filepath.Join(state, "transcriptd", "services")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	local, err := localservice.Hold(filepath.Join(folder, "one.json"), 0)
	require.NoError(t, err)
	require.NoError(t, local.Write(localservice.Service{URL: s.URL, Key: s.Key}))
	cmd := exec.CommandContext(t.Context(), os.Args[0], recording(t))
	cmd.Env = []string{asProgram + "=1", "XDG_STATE_HOME=" + state, "GOCOVERDIR=" + t.TempDir()}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	assert.Equal(t, "[00:00:00] hello world\n", string(out))

	require.NoError(t, local.Release())
}
