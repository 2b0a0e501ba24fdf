package page_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

// Who sends large forms slowly holds a part of the memory, and is refused the rest before
// it is read.
func TestLargeFormsAreBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	const size = 8 << 20
	request := func(from string, body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/transcripts", body)
		r.Host, r.ContentLength, r.RemoteAddr = "localhost", size, from+":1"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		(*s.pages.Load()).ServeHTTP(w, r)
		return w
	}
	out, in := io.Pipe()
	slow := make(chan int, 1)
	go func() { slow <- request("192.0.2.1", out).Code }()
	_, err := io.WriteString(in, "other=")
	require.NoError(t, err)
	large := "other=" + strings.Repeat("x", size-6) // a field that no page reads
	unread := strings.NewReader(large)
	w := request("192.0.2.77", unread)
	assert.Equal(t, http.StatusTooManyRequests, w.Code)
	assert.Equal(t, "1", w.Header().Get("Retry-After"))
	assert.Equal(t, size, unread.Len(), "nothing of it is read")
	assert.NotEqual(t, http.StatusTooManyRequests, request("198.51.100.1", strings.NewReader(large)).Code, "another network")
	require.NoError(t, in.CloseWithError(io.ErrUnexpectedEOF))
	assert.Equal(t, http.StatusBadRequest, <-slow)
	assert.NotEqual(t, http.StatusTooManyRequests, request("192.0.2.77", strings.NewReader(large)).Code)
}

// A single link is taken while strangers of many networks hold all the memory of large forms.
func TestSmallFormsNeedNoRoom(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	request := func(from string, size int64, body io.Reader) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/transcripts", body)
		r.Host, r.ContentLength, r.RemoteAddr = "localhost", size, from+":1"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		(*s.pages.Load()).ServeHTTP(w, r)
		return w.Code
	}
	var slow errgroup.Group
	var senders []*io.PipeWriter
	for n := range 5 {
		out, in := io.Pipe()
		senders = append(senders, in)
		slow.Go(func() error {
			request(fmt.Sprintf("192.0.%d.1", n), 8<<20, out)
			return nil
		})
		_, err := io.WriteString(in, "links=")
		require.NoError(t, err)
	}
	const form = "links=https%3A%2F%2Fyoutu.be%2FdQw4w9WgXcQ"
	assert.Equal(t, http.StatusServiceUnavailable, request("198.51.100.1", 1<<20, strings.NewReader(form)))
	assert.Equal(t, http.StatusSeeOther, request("198.51.100.1", int64(len(form)), strings.NewReader(form)))
	for _, in := range senders {
		require.NoError(t, in.CloseWithError(io.ErrUnexpectedEOF))
	}
	require.NoError(t, slow.Wait())
}
