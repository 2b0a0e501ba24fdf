package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
)

// A list that leads back to itself ends with an error, and a question about no video, about odd ids
// or about more than 50 videos is not sent.
func TestVideosOfABadService(t *testing.T) {
	t.Parallel()
	const body = `{"playlistId":"PL1234567890","title":null,"items":[{"position":0,"available":false,"video":{"videoId":"x"}}],"nextPageToken":"again"}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	c, err := client.New(s.URL)
	require.NoError(t, err)
	entries := 0
	var last error
	for _, err := range c.Videos.AllItems(t.Context(), "PL1234567890") {
		if last = err; err == nil {
			entries++
		}
	}
	require.Error(t, last)
	assert.Equal(t, 2, entries)
	assert.ErrorContains(t, last, "does not end")
	for _, bad := range [][]string{nil, {""}, {"a,b"}, make([]string, 51)} {
		_, err := c.Videos.Get(t.Context(), bad)
		require.ErrorContains(t, err, "client: ")
	}
}
