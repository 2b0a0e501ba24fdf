package client_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The token of a link opens the text, so neither the log of a client nor its errors have the token.
func TestSharedHidesTheToken(t *testing.T) {
	t.Parallel()
	token := strings.Repeat("t", 43)
	var logged bytes.Buffer
	log := client.WithLogger(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	c := served(t, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusNotFound, object{"error": object{"code": "NOT_FOUND", "message": "There is no such link."}})
	}, log)
	_, err := c.Library.Shared(t.Context(), "https://talks.example/shared/"+token)
	require.ErrorIs(t, err, transcript.NotFound)
	assert.NotContains(t, err.Error(), token)

	gone, err := client.New("http://127.0.0.1:1", log, client.WithRetry(client.NoRetry))
	require.NoError(t, err)
	_, err = gone.Library.Shared(t.Context(), token)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), token)
	assert.Contains(t, logged.String(), "/v1/shared/{token}")
	assert.NotContains(t, logged.String(), token)

	for _, odd := range []string{"", "..", "https://talks.example/shared/..", "http://[::1/" + token} {
		_, err := c.Library.Shared(t.Context(), odd)
		require.Error(t, err, odd)
		assert.NotErrorIs(t, err, transcript.NotFound, odd)
		assert.NotContains(t, err.Error(), token)
	}
}

// A token is one part of a path, whatever it holds.
func TestSharedAsksForOnePart(t *testing.T) {
	t.Parallel()
	asked := ""
	service := &http.Client{Transport: client.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
		asked = r.URL.EscapedPath()
		return nil, http.ErrHandlerTimeout
	})}
	c, err := client.New(base, client.WithHTTPClient(service), client.WithRetry(client.NoRetry))
	require.NoError(t, err)
	_, err = c.Library.Shared(t.Context(), "https://talks.example/shared/a%2F..%2Fb?x=1#y")
	require.Error(t, err)
	assert.Equal(t, "/v1/shared/b", asked)
}
