package servertest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/chunk"

	"io"
	"time"
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
	for chunk := range chunk.Cut(&saved.Transcript, options) {
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

func TestLibraryOfAService(t *testing.T) {
	t.Parallel()
	c, _ := live(t)
	source := transcript.Platform("video_site")
	key := library.Key{Platform: source, ExternalID: "dQw4w9WgXcQ"}
	require.ErrorIs(t, c.Library.Star(t.Context(), key), transcript.NoTranscript)
	_, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL(key.ExternalID)})
	require.NoError(t, err)
	saved, err := c.Library.Get(t.Context(), key)
	require.NoError(t, err)
	assert.NotEmpty(t, saved.Transcript.Segments)
	require.NoError(t, c.Library.Star(t.Context(), key))
	page, err := c.Library.List(t.Context(), library.Query{View: library.Starred})
	require.NoError(t, err)
	require.Len(t, page.Transcripts, 1)
	require.NoError(t, c.Library.Unstar(t.Context(), key))
	related, err := c.Library.Related(t.Context(), key, 5)
	require.NoError(t, err)
	assert.Empty(t, related)
	key.Language = saved.Transcript.Lang
	require.NoError(t, c.Library.Delete(t.Context(), key))
	require.ErrorIs(t, c.Library.Delete(t.Context(), key), transcript.NoTranscript)
	_, err = c.Library.List(t.Context(), library.Query{PageSize: 101})
	require.ErrorIs(t, err, transcript.InvalidRequest)
	require.Error(t, c.Library.Delete(t.Context(), library.Key{Platform: source}), "no id")
	require.Error(t, c.Library.Delete(t.Context(), library.Key{Platform: source, ExternalID: ".."}))
}

// KeepMedia is a field of an upload, in whole seconds. A link with it is refused by the service.
func TestKeepMedia(t *testing.T) {
	t.Parallel()
	c, _ := live(t)
	m := &media{content: []byte("a recording that is kept")}
	result, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: m.source(-1), KeepMedia: time.Hour})
	require.NoError(t, err)
	require.NotNil(t, result.Transcript.Media)
	assert.WithinDuration(t, time.Now().Add(time.Hour), result.Transcript.Media.Until.Time, time.Minute)
	file, err := c.Library.Media(t.Context(), result.Transcript.ExternalID, client.MediaParams{Offset: 2})
	require.NoError(t, err)
	got, err := io.ReadAll(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	assert.Equal(t, "recording that is kept", string(got))
	_, err = c.Library.Media(t.Context(), result.Transcript.ExternalID, client.MediaParams{Offset: 1000})
	require.ErrorIs(t, err, transcript.InvalidRequest)
	_, err = c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL("dQw4w9WgXcQ"), KeepMedia: time.Hour})
	require.ErrorIs(t, err, transcript.InvalidRequest)
}
