package site_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

func TestDirect(t *testing.T) {
	t.Parallel()
	for text, link := range map[string]string{
		"https://media.example/a.mp3":                           "https://media.example/a.mp3",
		"HTTPS://Media.Example:443/a.mp3?token=X%20y&z":         "https://media.example/a.mp3?token=X%20y&z",
		"https://media.example./a.mp3#":                         "https://media.example/a.mp3",
		"http://media.example:8000/a b.mp3":                     "",
		"https://münchen.example/ü.mp3":                         "https://xn--mnchen-3ya.example/%C3%BC.mp3",
		"https://feeds.example/show.xml#https://e.example/?p=1": "https://feeds.example/show.xml#https://e.example/?p=1",
		"https://feeds.example/show.xml#tag:e.example,2026:ü":   "https://feeds.example/show.xml#tag:e.example,2026:%C3%BC",
		"https://feeds.example/show.xml#a%23b":                  "https://feeds.example/show.xml#a%23b",
		"https://feeds.example/show.xml#50%":                    "",
		"https://user@media.example/a.mp3":                      "",
		"https://media.example/../a.mp3":                        "",
		"ftp://media.example/a.mp3":                             "",
		"media.example/a.mp3":                                   "",
		"file:///etc/passwd":                                    "",
		"":                                                      "",
	} {
		match, err := site.Default().Direct(text)
		if link == "" {
			require.ErrorIs(t, err, transcript.InvalidVideo, text)
			continue
		}
		require.NoError(t, err, text)
		assert.Equal(t, link, match.URL, text)
		assert.Equal(t, transcript.Upload, match.Platform, text)
		assert.Regexp(t, `^[0-9a-f]{32}$`, match.ExternalID, text)
		again, err := site.Default().Direct(match.URL)
		require.NoError(t, err, text)
		assert.Equal(t, match, again, "the usual form of a link stays")
	}
}

// Every item of a feed has an id of its own.
func TestDirectTellsItemsApart(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, link := range []string{"https://feeds.example/a", "https://feeds.example/a#1", "https://feeds.example/a#2", "https://feeds.example/a?1", "http://feeds.example/a"} {
		match, err := site.Default().Direct(link)
		require.NoError(t, err)
		ids[match.ExternalID] = true
	}
	assert.Len(t, ids, 5)
}

// A link that a platform owns is never read as a file.
func TestDirectLeavesPlatformsAlone(t *testing.T) {
	t.Parallel()
	_, err := site.Default().Direct("https://www.youtube.com/feeds/videos.xml?channel_id=x")
	require.ErrorIs(t, err, transcript.UnsupportedPlatform)
	_, err = site.Default().Detect("https://media.example/a.mp3")
	require.ErrorIs(t, err, transcript.UnsupportedPlatform, "Detect stays as it was")
}
