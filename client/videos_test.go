package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// An answer that is not what the API promises is an error, and a list that leads back to
// itself ends with one.
func TestVideosOfABadService(t *testing.T) {
	t.Parallel()
	body := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	c, err := client.New(s.URL)
	require.NoError(t, err)
	for _, body = range []string{`{}`, `{"items":null}`, `{"items":[{"type":"video"}]}`, `[]`, ``} {
		_, err := c.Videos.Search(t.Context(), video.Search{Q: "talk"}, client.PageParams{})
		require.ErrorAs(t, err, new(*client.Error), body)
		_, err = c.Videos.Get(t.Context(), []string{"dQw4w9WgXcQ"})
		require.Error(t, err, body)
		_, err = c.Videos.Channel(t.Context(), "@talks")
		require.Error(t, err, body)
	}
	body = `{"playlistId":"PL1234567890","title":null,"items":[{"position":0,"available":false,"video":{"videoId":"x"}}],"nextPageToken":"again"}`
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
}
