package transcribe

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// record writes more sound to a recording.
func record(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("more sound")
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// A recorder writes to the file while the file is sent: the message says so, and says how to go
// on.
func TestRecordingThatGrowsWhileItIsSent(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"in an upload that goes on": http.StatusCreated, "in a form": http.StatusUnsupportedMediaType} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := largeFile(t)
			grow := sync.OnceFunc(func() { record(t, file) })
			got := callHandler(t.Context(), t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.ContentLength == 0 { // the upload begins
					w.Header().Set("Location", "/v1/uploads/1")
					w.Header().Set("Upload-Complete", "?0")
					w.WriteHeader(status)
					return
				}
				_, err := io.ReadFull(r.Body, make([]byte, 1000))
				assert.NoError(t, err)
				grow()
				_, err = io.Copy(io.Discard, r.Body)
				assert.Error(t, err, "the upload is not whole")
				panic(http.ErrAbortHandler)
			}), file)
			assert.Equal(t, exitFailure, got.code)
			assert.Empty(t, got.stdout)
			assert.Regexp(t, `\ntranscribe: \S+talk\.mp3: a program still writes to this file: the file had 25165820 bytes and has 25165830 now; transcribe it when .* --watch`, got.stderr)
			assert.NotContains(t, got.stderr, "client:")
		})
	}
}

// A recorder writes to the file after it was sent: the text is written, with a warning.
func TestRecordingThatGrowsAfterItWasSent(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	release := sync.OnceFunc(s.Engine.Hold())
	defer release()
	file := recording(t)
	var stdout bytes.Buffer
	var stderr watched
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), []string{"--server", s.URL, file}, func(string) string { return s.Key }, &stdout, &stderr)
	}()
	stderr.await(t, "recognizing\n")
	record(t, file)
	release()
	assert.Equal(t, exitOK, <-ended)
	assert.Equal(t, "[00:00:00] hello world\n", stdout.String())
	assert.Contains(t, stderr.String(), "A program has written to "+file+" since it was sent: the text is of its first 9 bytes.\n")
}
