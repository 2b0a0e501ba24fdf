package web_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
)

func ask(ctx context.Context, t *testing.T, h http.HandlerFunc) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://website/v1/usage?a=b", nil)
	require.NoError(t, err)
	return web.Direct(h).RoundTrip(req)
}

func TestDirectStreams(t *testing.T) {
	t.Parallel()
	read := make(chan struct{})
	res, err := ask(t.Context(), t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/v1/usage?a=b", r.RequestURI)
		w.Header().Set("X-A", "a")
		w.WriteHeader(http.StatusAccepted)
		w.Header().Set("X-A", "too late")
		_, _ = io.WriteString(w, "one")
		<-read
		_, _ = io.WriteString(w, "two")
	})
	require.NoError(t, err)
	assert.Equal(t, http.StatusAccepted, res.StatusCode)
	assert.Equal(t, "a", res.Header.Get("X-A"))
	first := make([]byte, 3)
	_, err = io.ReadFull(res.Body, first)
	require.NoError(t, err)
	close(read) // only now does it go on
	rest, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Equal(t, "onetwo", string(first)+string(rest))
	require.NoError(t, res.Body.Close())
}

func TestDirectWithoutABody(t *testing.T) {
	t.Parallel()
	res, err := ask(t.Context(), t, func(http.ResponseWriter, *http.Request) {})
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, res.StatusCode)
	rest, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Empty(t, rest)
	require.NoError(t, res.Body.Close())
}

func TestDirectBreaks(t *testing.T) {
	t.Parallel()
	res, err := ask(t.Context(), t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "some")
		panic(http.ErrAbortHandler)
	})
	require.NoError(t, err)
	got, err := io.ReadAll(res.Body)
	require.ErrorIs(t, err, web.ErrBroken)
	assert.Equal(t, "some", string(got))
	require.NoError(t, res.Body.Close())
}

// Who stops to read lets the handler go.
func TestDirectIsLeft(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	res, err := ask(t.Context(), t, func(w http.ResponseWriter, _ *http.Request) {
		var err error
		for err == nil {
			_, err = io.WriteString(w, "more")
		}
		ended <- err
	})
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.ErrorIs(t, <-ended, io.ErrClosedPipe)
}

func TestDirectGivesUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	_, err := ask(ctx, t, func(http.ResponseWriter, *http.Request) { //nolint:bodyclose // there is none
		cancel()
		<-release
	})
	require.ErrorIs(t, err, context.Canceled)
}
