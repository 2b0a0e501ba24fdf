package transcribe

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

var soakFlag = flag.Bool("soak", false, "also run the tests that take minutes (make soak)")

// A service that is killed is a process of its own: the test binary again.
const (
	asService       = "TRANSCRIBE_TEST_AS_SERVICE" // its address
	serviceDatabase = "TRANSCRIBE_TEST_DATABASE"
	serviceBlobs    = "TRANSCRIBE_TEST_BLOBS"
	serviceStops    = "TRANSCRIBE_TEST_STOPS" // see stopping; "": it reads all
)

// serve serves until standard input ends. It tells its key when it listens.
func serve(addr string) error {
	s, err := servertest.Start(context.Background(), servertest.ConfigureStore(func(o *store.Options) {
		o.Database, o.Blobs = os.Getenv(serviceDatabase), os.Getenv(serviceBlobs)
	}))
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	web := s.HTTPServer("")
	if stops, err := strconv.ParseInt(os.Getenv(serviceStops), 10, 64); err == nil {
		handler := web.Handler
		web.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Body = &stopping{r.Body, stops}
			handler.ServeHTTP(w, r)
		})
	}
	go func() { _ = web.Serve(l) }() // ends with the process
	fmt.Fprintln(os.Stdout, s.Key)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// stopping is a body that is read up to some byte. Then the service says so, and waits
// to be killed.
type stopping struct {
	io.ReadCloser
	left int64
}

func (s *stopping) Read(b []byte) (int, error) {
	if s.left == 0 {
		fmt.Fprintln(os.Stdout, "stopped")
		select {}
	}
	n, err := s.ReadCloser.Read(b[:min(int64(len(b)), s.left)])
	s.left -= int64(n)
	return n, err
}

// serviceProcess is a service that can be killed.
type serviceProcess struct {
	*exec.Cmd
	out *bufio.Reader
	key string
}

func startServiceProcess(t *testing.T, addr, stops string, o store.Options) *serviceProcess {
	t.Helper()
	s := &serviceProcess{Cmd: exec.Command(os.Args[0])}
	s.Env = append(os.Environ(), asService+"="+addr, serviceDatabase+"="+o.Database, serviceBlobs+"="+o.Blobs, serviceStops+"="+stops)
	s.Stderr = os.Stderr
	_, err := s.StdinPipe() // ends with this process
	require.NoError(t, err)
	out, err := s.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.Start())
	t.Cleanup(s.kill)
	s.out = bufio.NewReader(out)
	s.key = s.line(t)
	return s
}

func (s *serviceProcess) line(t *testing.T) string {
	t.Helper()
	line, err := s.out.ReadString('\n')
	require.NoError(t, err, "the service has ended")
	return strings.TrimSpace(line)
}

func (s *serviceProcess) kill() {
	_ = s.Process.Kill() // it may be dead already
	_ = s.Wait()         // reports the kill
}

// largeRecording is larger than what the buffers of a connection hold.
const largeRecording = 24 << 20

// killedUpload kills the service when it has read a share of an upload, starts it again
// after a while, and returns how long the program took over all.
func killedUpload(t *testing.T, o store.Options, share float64, away time.Duration) time.Duration {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.NoError(t, l.Close())
	file := filepath.Join(t.TempDir(), "talk.mp3")
	require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("the media "), largeRecording/10), 0o600))
	first := startServiceProcess(t, addr, strconv.Itoa(int(share*largeRecording)), o)

	began := time.Now()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0], file)
	cmd.Env = append(os.Environ(), asProgram+"=1", "TRANSCRIBE_SERVER=http://"+addr, "TRANSCRIBE_KEY="+first.key)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	require.Equal(t, "stopped", first.line(t))
	first.kill()
	<-time.After(away)
	startServiceProcess(t, addr, "", o)
	require.NoError(t, cmd.Wait(), stderr.String())
	assert.Equal(t, "[00:00:00] hello world\n", stdout.String())
	return time.Since(began)
}

// The service is killed in the middle of an upload, and started again.
func TestServiceIsKilled(t *testing.T) {
	t.Parallel()
	killedUpload(t, storetest.SQLite(t), 0.5, 0)
}

// TestSoakServiceIsKilled is TestServiceIsKilled at ten points of the upload, with a
// service that is away for as long as it takes to start one.
func TestSoakServiceIsKilled(t *testing.T) {
	if !*soakFlag {
		t.Skip("takes minutes: make soak")
	}
	for name, options := range map[string]func(testing.TB) store.Options{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		for _, away := range []time.Duration{time.Second, 5 * time.Second, 12 * time.Second} {
			for point := range 10 {
				t.Run(fmt.Sprintf("%s/after %s/point %d", name, away, point), func(t *testing.T) {
					t.Parallel()
					took := killedUpload(t, options(t), float64(point)/9, away)
					t.Logf("exit code 0 after %s", took.Round(100*time.Millisecond))
				})
			}
		}
	}
}
