package client_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestServiceSearches(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "a needle here"})
	for _, id := range []string{"dQw4w9WgXcQ", "9bZkp7q19f0", "aaaaaaaaaaa"} {
		_, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.ID(transcript.VideoSite, id)})
		require.NoError(t, err)
	}
	needle := library.Search{Q: "needle", Platform: transcript.VideoSite, Lang: "en"}
	page, err := c.Library.Search(t.Context(), needle, client.PageParams{Size: 2})
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	require.NotEmpty(t, page.Next)
	assert.Contains(t, page.Items[0].Hits[0].Snippet, "<mark>needle</mark>")
	rest, err := c.Library.Search(t.Context(), needle, client.PageParams{Size: 2, Token: page.Next})
	require.NoError(t, err)
	assert.Len(t, rest.Items, 1)
	assert.Empty(t, rest.Next)

	found := map[string]bool{}
	for m, err := range c.Library.AllSearch(t.Context(), needle) {
		require.NoError(t, err)
		found[m.ExternalID] = true
	}
	assert.Len(t, found, 3)
	for _, err := range c.Library.AllSearch(t.Context(), library.Search{}) {
		var refused *client.Error
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, transcript.InvalidRequest, refused.Code)
	}
}
