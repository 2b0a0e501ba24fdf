package site_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// elsewhere is the default table with two talks of the operator's.
func elsewhere(t *testing.T) *site.Table {
	t.Helper()
	table, err := site.Default().Override(strings.NewReader(`{"video_site": {"elsewhere": {
		"a-shortTalk": {"canonical": "http://127.0.0.1:9099/watch?v=a-shortTalk", "at": "http://127.0.0.1:9099/watch?v=a-shortTalk&t={t}"},
		"another-one": {"canonical": "http://127.0.0.1:9099/watch?v=another-one"}
	}}}`))
	require.NoError(t, err)
	return table
}

// A content elsewhere is one of its platform, with links of its own; all others stay
// where they are.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	table := elsewhere(t)
	talk := site.Match{Platform: transcript.VideoSite, ExternalID: "a-shortTalk", URL: "http://127.0.0.1:9099/watch?v=a-shortTalk"}
	for _, link := range []string{talk.URL, "127.0.0.1:9099/watch?v=a-shortTalk&t=4", "a-shortTalk"} {
		match, err := table.Detect(link)
		require.NoError(t, err, link)
		assert.Equal(t, talk, match, link)
	}
	other, err := table.Detect("https://youtu.be/dQw4w9WgXcQ")
	require.NoError(t, err)
	assert.Equal(t, "https://www.youtube.com/watch?v=dQw4w9WgXcQ", other.URL)

	for id, want := range map[string]string{
		"a-shortTalk": "http://127.0.0.1:9099/watch?v=a-shortTalk&t=7",
		"another-one": "http://127.0.0.1:9099/watch?v=another-one", // it has no links to moments
		"dQw4w9WgXcQ": "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=7s",
	} {
		at, err := table.At(transcript.VideoSite, id, 7)
		require.NoError(t, err)
		assert.Equal(t, want, at)
	}
	match, err := table.Detect("http://127.0.0.1:9099/")
	assert.ErrorIs(t, err, transcript.InvalidVideo)
	assert.Equal(t, transcript.VideoSite, match.Platform)
}

// Neither is the platform found on the host of a talk, nor the talk on the platform's.
func TestElsewhereIsApart(t *testing.T) {
	t.Parallel()
	table := elsewhere(t)
	for _, link := range []string{
		"http://127.0.0.1:9099/watch?v=dQw4w9WgXcQ", "https://www.youtube.com/watch?v=a-shortTalk", "http://127.0.0.1:9099/",
	} {
		match, err := table.Detect(link)
		require.ErrorIs(t, err, transcript.InvalidVideo, link)
		assert.Equal(t, site.Match{Platform: transcript.VideoSite}, match)
	}
	_, err := table.Playlist("http://127.0.0.1:9099/watch?v=a-shortTalk&list=PL1234567890")
	require.ErrorIs(t, err, transcript.InvalidVideo)
	_, err = table.Playlist("https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PL1234567890")
	require.NoError(t, err)
	_, err = site.Default().Detect("http://127.0.0.1:9099/watch?v=a-shortTalk")
	require.ErrorIs(t, err, transcript.UnsupportedPlatform, "the default table is as it was")

	without, err := table.Replace(map[transcript.Platform]site.Site{transcript.VideoSite: {Elsewhere: map[string]site.Place{}}})
	require.NoError(t, err)
	_, err = without.Detect("http://127.0.0.1:9099/watch?v=a-shortTalk")
	require.ErrorIs(t, err, transcript.UnsupportedPlatform)
}
