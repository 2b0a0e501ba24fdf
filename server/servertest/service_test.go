package servertest_test

import (
	"bytes"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// live is a client for the real service with a scripted engine.
func live(t *testing.T, opts ...client.Option) (*client.Client, *servertest.Server) {
	t.Helper()
	s := servertest.New(t)
	c, err := client.New(s.URL, append([]client.Option{client.WithAPIKey(s.Key)}, opts...)...)
	require.NoError(t, err)
	return c, s
}

func atOnce(source transcript.Source) transcript.Request {
	wait := time.Duration(0)
	return transcript.Request{Source: source, Wait: &wait}
}

const (
	videoID = "dQw4w9WgXcQ"
	jobID   = "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11" // of no job
)

// media is a file that counts how often it is opened.
type media struct {
	content []byte
	opened  atomic.Int32
}

// source returns the file as an upload. A negative size is unknown.
func (m *media) source(size int64) transcript.Source {
	return transcript.Media("talk.wav", size, func() (io.ReadCloser, error) {
		m.opened.Add(1)
		return io.NopCloser(bytes.NewReader(m.content)), nil
	})
}

// zeros is a large file that takes no memory.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// around makes middleware of a function.
func around(f func(r *http.Request, next http.RoundTripper) (*http.Response, error)) client.RequestOption {
	return client.WithMiddleware(func(next http.RoundTripper) http.RoundTripper {
		return client.RoundTripFunc(func(r *http.Request) (*http.Response, error) { return f(r, next) })
	})
}
