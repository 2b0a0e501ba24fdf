package apitest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/apitest"
)

// serve is a server that shows the document, and answers all else with h.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/docs/openapi.json" {
			_, _ = io.WriteString(w, document) // who asks finds out
			return
		}
		w.Header().Set("X-Request-Id", "r1")
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// An answer may come while the request is still being sent.
func TestAnswerBeforeTheRequestEnds(t *testing.T) {
	t.Parallel()
	d, err := apitest.Parse([]byte(document))
	require.NoError(t, err)
	sent := make(chan struct{})
	early := roundTripper(func(r *http.Request) (*http.Response, error) {
		body := r.Body
		r.Body = nil // the answer does not wait for it
		go func() {
			defer close(sent)
			_, err := io.Copy(io.Discard, body)
			assert.NoError(t, err)
		}()
		return fake(exchange{answer: `{"count":1}`})(r)
	})
	client := &http.Client{Transport: d.Transport(early, func(err error) { t.Error(err) })}
	resp, err := client.Do(request(t, exchange{sent: `{"count":1}`}))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	<-sent
}

// A stream's events arrive when they are sent, and are checked when they are
// read.
func TestEventsAreCheckedWhileTheyStream(t *testing.T) {
	t.Parallel()
	next := make(chan string)
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		assert.NoError(t, http.NewResponseController(w).Flush())
		for text := range next {
			_, _ = io.WriteString(w, text) // who reads finds out
			assert.NoError(t, http.NewResponseController(w).Flush())
		}
	})
	tb := &recordingTB{TB: t, errors: make(chan string, 1)}
	resp, err := apitest.Client(tb, url).Get(url + thing)
	if err == nil {
		defer resp.Body.Close()
	}
	require.NoError(t, err)
	buffer := make([]byte, 1<<10)
	for _, text := range []string{"retry: 3000\n: hello\n\n", "event: job.snapshot\ndata: {\"count\":", "\"one\"}\n\n"} {
		require.Empty(t, tb.errors)
		next <- text
		n, err := resp.Body.Read(buffer)
		require.NoError(t, err)
		require.Equal(t, text, string(buffer[:n]))
	}
	assert.Contains(t, <-tb.errors, "GET "+thing)
	close(next)
}

// recordingTB keeps what a test is told.
type recordingTB struct {
	testing.TB
	errors chan string
}

func (r *recordingTB) Errorf(format string, args ...any) { r.errors <- fmt.Sprintf(format, args...) }
