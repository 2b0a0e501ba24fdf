package server_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// What each route of discovery tells, member by member; null is what nobody knows.
func TestDiscoveryTells(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.setVideoSite()
	told := func(path string) map[string]any {
		t.Helper()
		a := s.get(t, "/v1/video_site/"+path, as(s.NewKey(t, "globex", account.Batches))) // any valid key
		require.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", path, a.body)
		return a.object(t)
	}
	channel := map[string]any{
		"channelId": talks, "title": "Talks", "handle": "@talks", "description": nil, "url": nil, "thumbnailUrl": nil,
		"subscriberCount": 321.0, "videoCount": nil, "uploadsPlaylistId": "UU" + talks[2:],
	}
	summary := map[string]any{
		"videoId": video, "title": "A short talk", "channelId": talks, "channel": "Talks", "durationSec": 10.0,
		"publishedAt": "2026-03-04T12:00:00.000Z", "thumbnailUrl": nil, "viewCount": 1200.0, "isLive": false, "isShort": false, "captionAvailable": nil,
	}
	assert.Equal(t, map[string]any{"query": "talks", "type": "channel", "items": []any{map[string]any{"type": "channel", "channel": channel}}},
		told("search?q=talks&type=channel"))
	assert.Equal(t, map[string]any{"query": "best", "type": "playlist", "items": []any{map[string]any{"type": "playlist", "playlist": map[string]any{
		"playlistId": bestTalks, "title": "Best talks", "channelId": talks, "channel": "Talks", "itemCount": nil, "thumbnailUrl": nil,
	}}}}, told("search?q=best&type=playlist"))
	assert.Equal(t, []any{map[string]any{"type": "video", "video": summary}}, told("search?q=short&maxResults=1")["items"])

	for _, by := range []string{"channel=@talks", "channelId=" + talks, "channel=" + url.QueryEscape("https://video.example/@talks")} {
		found := told("channels?" + by)["channel"].(map[string]any)
		delete(found, "url") // where the table makes one
		known := map[string]any{}
		for name, value := range channel {
			if name != "url" {
				known[name] = value
			}
		}
		assert.Equal(t, known, found, by)
	}
	a := s.get(t, "/v1/video_site/channels?channel=@nobody")
	assert.Equal(t, http.StatusNotFound, a.StatusCode)
	assert.Equal(t, "UNAVAILABLE", a.failure(t)["code"])

	videos := told("videos?videoId=" + url.QueryEscape("https://video.example/watch?v="+video) + ",aaaaaaaaaaa," + shortTalk)
	assert.Equal(t, []any{"aaaaaaaaaaa"}, videos["notFound"])
	items := videos["items"].([]any)
	require.Len(t, items, 2)
	first := items[0].(map[string]any)
	for name, value := range summary {
		if name != "captionAvailable" {
			assert.Equal(t, value, first[name], name)
		}
	}
	assert.Equal(t, []any{"What it says, and why.", []any{"talk"}, nil, []any{"en"}, "ok", "complete", true},
		[]any{first["description"], first["tags"], first["likeCount"], first["languages"], first["trackMetadataStatus"], first["metadataStatus"], first["captionAvailable"]})
	assert.Len(t, first["tracks"], 1)
	second := items[1].(map[string]any)
	assert.Equal(t, []any{shortTalk, nil, "skipped"}, []any{second["videoId"], second["captionAvailable"], second["trackMetadataStatus"]}, "what was not asked is not false")

	held := told("playlists/" + bestTalks + "/items")
	assert.Equal(t, []any{bestTalks, "Best talks"}, []any{held["playlistId"], held["title"]})
	entry := held["items"].([]any)[0].(map[string]any)
	assert.Equal(t, []any{0.0, false, "aaaaaaaaaaa"}, []any{entry["position"], entry["available"], entry["video"].(map[string]any)["videoId"]}, "what is gone keeps its place")
	assert.Equal(t, talks, told("channels/@talks/videos")["channelId"])
	assert.Zero(t, s.jobs(t))
	assert.Zero(t, storetest.Count(t, s.options, "library_rows"))
}
