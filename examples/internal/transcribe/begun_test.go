package transcribe

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// narrowLine stands before a service and stops the first request that appends to an upload.
type narrowLine struct {
	carries int64         // bytes of the first request
	stopped chan struct{} // is closed when it has carried them
	over    chan struct{} // ends the first request
	passed  atomic.Int64  // bytes of all appends
	first   sync.Once
}

func newNarrowLine(t *testing.T, s *servertest.Server, carries int64) (*narrowLine, *httptest.Server) {
	t.Helper()
	at, err := url.Parse(s.URL)
	require.NoError(t, err)
	l := &narrowLine{carries: carries, stopped: make(chan struct{}), over: make(chan struct{})}
	proxy := httputil.NewSingleHostReverseProxy(at)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			body := &narrowBody{ReadCloser: r.Body, line: l, left: -1}
			l.first.Do(func() { body.left = l.carries })
			r.Body = body
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return l, srv
}

type narrowBody struct {
	io.ReadCloser
	line *narrowLine
	left int64 // -1: any number
}

func (b *narrowBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		close(b.line.stopped)
		<-b.line.over
		return 0, errors.New("the line is cut")
	}
	if b.left > 0 {
		p = p[:min(int64(len(p)), b.left)]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left > 0 {
		b.left -= int64(n)
	}
	b.line.passed.Add(int64(n))
	return n, err
}

func largeFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "talk.mp3")
	require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("the media "), largeRecording/10), 0o600))
	return file
}

// execCmd is a program with its output.
type execCmd struct {
	*exec.Cmd
	out, log bytes.Buffer
}

// A break is told in words, and the upload goes on where it was.
func TestUploadBreaksOff(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	line, srv := newNarrowLine(t, s, 10e6)
	close(line.over)
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"--server", srv.URL, largeFile(t)}, func(name string) string { return map[string]string{"TRANSCRIBE_KEY": s.Key}[name] }, &stdout, &stderr)
	assert.Equal(t, exitOK, code, stderr.String())
	assert.Equal(t, "[00:00:00] hello world\n", stdout.String())
	assert.Contains(t, stderr.String(), "connection lost, trying again in 1s\nThe upload broke off at 10.0 MB, and goes on there.\n")
	assert.EqualValues(t, largeRecording/10*10, line.passed.Load(), "no byte is sent twice")
}

// A program is killed, and the same command goes on with the upload.
func TestProgramIsKilledWhileItSends(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	line, srv := newNarrowLine(t, s, 10e6)
	file, cache := largeFile(t), t.TempDir()
	command := func() (cmd *execCmd) {
		cmd = &execCmd{Cmd: program(t.Context(), s, file)}
		cmd.Env = append(cmd.Env, "TRANSCRIBE_SERVER="+srv.URL, "XDG_CACHE_HOME="+cache)
		cmd.Stdout, cmd.Stderr = &cmd.out, &cmd.log
		require.NoError(t, cmd.Start())
		return cmd
	}
	killed := command()
	<-line.stopped
	require.NoError(t, killed.Process.Kill())
	require.Error(t, killed.Wait())
	close(line.over)
	begun, err := filepath.Glob(filepath.Join(cache, "transcribe", "uploads", "*"))
	require.NoError(t, err)
	require.Len(t, begun, 1)

	again := command()
	require.NoError(t, again.Wait(), again.log.String())
	assert.Equal(t, "[00:00:00] hello world\n", again.out.String())
	assert.EqualValues(t, largeRecording/10*10, line.passed.Load(), "no byte is sent twice")
	assert.NoFileExists(t, begun[0], "what is over is forgotten")
}

// An upload of another recording, or one that the service has removed, begins again.
func TestUploadsThatHaveBegun(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := &work{command: &command{}}
	var err error
	w.client, err = newClient(s.URL)
	require.NoError(t, err)
	path := largeFile(t)
	file, err := lookAt(path)
	require.NoError(t, err)
	errLine := errors.New("the line is cut")

	first := w.begin(file)
	require.NotNil(t, first)
	assert.Nil(t, w.begin(file), "another process sends it")
	var brokenOff *brokenOffError
	require.ErrorAs(t, first.end(errLine), &brokenOff)
	second := w.begin(file)
	assert.Equal(t, first.key, second.key)
	require.NoError(t, second.end(nil))
	third := w.begin(file)
	assert.NotEqual(t, first.key, third.key, "after the answer, the command is another one")
	require.ErrorIs(t, third.end(errLine), errLine)

	w.Language = []string{"de"}
	fourth := w.begin(file)
	assert.NotEqual(t, third.key, fourth.key)
	assert.NotErrorAs(t, fourth.end(&writtenError{}), &brokenOff)
	w.Language = nil
	old := time.Now().Add(-2 * begunLasts)
	require.NoError(t, os.Chtimes(third.path, old, old))
	fifth := w.begin(file)
	assert.NotEqual(t, third.key, fifth.key, "the service no longer has it")
	require.NoError(t, fifth.end(nil))

	small := file
	small.size = resumes - 1
	assert.Nil(t, w.begin(small))
	w.own = true
	assert.Nil(t, w.begin(file), "a service that ends with the command")
}
