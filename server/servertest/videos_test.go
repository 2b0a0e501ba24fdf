package servertest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

func TestVideosOfTheSite(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	var all []video.Video
	var ids []string
	for i := range 120 {
		id := fmt.Sprintf("video-%05d", i)
		ids = append(ids, id)
		all = append(all, video.Video{Summary: video.Summary{VideoID: id, Title: new("A talk"), ChannelID: new(channelID)}})
	}
	s.Engine.SetVideos(all...)
	s.Engine.SetChannels(video.Channel{ChannelID: channelID, Handle: new("@talks")})
	s.Engine.SetList("PL1234567890", ids...)

	var found, uploads, items []string
	for r, err := range c.Videos.AllSearch(t.Context(), video.Search{Q: "talk"}) {
		require.NoError(t, err)
		found = append(found, r.Video.VideoID)
	}
	assert.Equal(t, ids, found)
	for v, err := range c.Videos.AllUploads(t.Context(), "@talks", "") {
		require.NoError(t, err)
		uploads = append(uploads, v.VideoID)
	}
	assert.Equal(t, ids, uploads)
	for i, err := range c.Videos.AllItems(t.Context(), "PL1234567890") {
		require.NoError(t, err)
		assert.True(t, i.Available)
		items = append(items, i.Video.VideoID)
	}
	assert.Equal(t, ids, items)
	assert.Equal(t, 9, s.Engine.Discoveries(), "each page once")

	videos, err := c.Videos.Get(t.Context(), []string{ids[3], "aaaaaaaaaaa", ids[1]})
	require.NoError(t, err)
	assert.Equal(t, []string{"aaaaaaaaaaa"}, videos.NotFound)
	assert.Equal(t, ids[3], videos.Items[0].VideoID)
	channel, err := c.Videos.Channel(t.Context(), "@talks")
	require.NoError(t, err)
	assert.Equal(t, channelID, channel.ChannelID)

	_, err = c.Videos.Channel(t.Context(), "@nobody")
	require.ErrorIs(t, err, transcript.Unavailable)
	_, err = c.Videos.Uploads(t.Context(), "no channel", video.All, client.PageParams{})
	var refused *client.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "not_found", refused.Slug)
	for _, bad := range [][]string{nil, {""}, {"a,b"}, make([]string, 51)} {
		_, err = c.Videos.Get(t.Context(), bad)
		require.ErrorContains(t, err, "client: ")
	}
}
