package ytdlp_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestCaptions(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	found, err := b.captions(t, sitetest.TwoTracks, "de")
	require.NoError(t, err)
	assert.Equal(t, []transcript.Track{
		{ID: "en.manual", Lang: "en", Kind: transcript.TrackManual},
		{ID: "de.manual", Lang: "de", Kind: transcript.TrackManual},
	}, found.Tracks)
	assert.Equal(t, &found.Tracks[1], found.Track)
	assert.Equal(t, []transcript.Segment{
		{Text: "hallo Welt", Start: 0.5, Duration: 1.5},
		{Text: "wie geht’s & steht’s", Start: 2, Duration: 1.5},
	}, found.Segments)
	assert.Contains(t, found.Metadata.Title, "Two tracks")

	assert.Equal(t, 1, b.site.Requests("/de.vtt"))
	assert.Equal(t, 1, b.site.Requests(sitetest.Watch(sitetest.TwoTracks)))
	assert.Zero(t, b.site.Requests("/en.vtt"), "only what was picked is fetched")
	assert.Zero(t, b.site.Requests("/media"))
	b.clean(t)
}

func TestCaptionsInOtherForms(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	b := newBench(t, "")
	for lang, text := range map[string]string{"en": "hello world", "de": "hallo Welt"} {
		found, err := b.captions(t, sitetest.OtherForms, lang)
		require.NoError(t, err, lang)
		require.Len(t, found.Segments, 2, lang)
		assert.Equal(t, transcript.Segment{Text: text, Start: 0.5, Duration: 1.5}, found.Segments[0])
	}
	b.clean(t)
}

// Of a post with several recordings the first is taken.
func TestPostWithSeveral(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	b := newBench(t, "")
	c := b.content(sitetest.TwoVideos)
	c.ExternalID = "watch?v=" + sitetest.TwoVideos // what the program takes for the post's id
	path, err := b.Audio(t.Context(), c, t.TempDir(), engine.AudioOptions{})
	require.NoError(t, err)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, b.media, got)
}
