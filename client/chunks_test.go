package client_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The pieces of a saved transcript are those that the function cuts of what is read, on
// as many pages as there are.
func TestServiceChunks(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(t, err)
	text := ""
	for range 60 {
		text += "This sentence has some fifty characters, more or less. "
	}
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: text})
	_, err = c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL("dQw4w9WgXcQ")})
	require.NoError(t, err)

	key, options := library.Key{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Language: "en"}, transcript.ChunkOptions{MaxChars: 200, OverlapChars: 60}
	saved, err := c.Library.GetWithWords(t.Context(), key)
	require.NoError(t, err)
	var own, all []transcript.Chunk
	for chunk := range transcript.Chunks(&saved.Transcript, options) {
		own = append(own, chunk)
	}
	for chunk, err := range c.Library.AllChunks(t.Context(), key, options) {
		require.NoError(t, err)
		require.NotNil(t, chunk.URL)
		chunk.URL = nil
		all = append(all, chunk)
	}
	assert.Equal(t, own, all)

	page, err := c.Library.Chunks(t.Context(), key, options, client.PageParams{Size: 2})
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	page, err = c.Library.Chunks(t.Context(), key, options, client.PageParams{Size: 2, Token: page.Next})
	require.NoError(t, err)
	assert.Equal(t, 2, page.Items[0].Index)

	var refused *client.Error
	_, err = c.Library.Chunks(t.Context(), key, transcript.ChunkOptions{MaxChars: 300}, client.PageParams{Token: page.Next})
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, http.StatusBadRequest, refused.Response.StatusCode)
	for _, err := range c.Library.AllChunks(t.Context(), library.Key{Platform: transcript.VideoSite, ExternalID: "unknown-vid"}, options) {
		require.ErrorIs(t, err, transcript.NoTranscript)
	}
}
