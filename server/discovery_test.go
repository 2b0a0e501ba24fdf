package server_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	discovery "github.com/transcriptkit/transcriptkit/transcript/video" // video is a video
)

// What is on the video site after setVideoSite.
const (
	shortTalk = "9bZkp7q19f0" // beside video
	talks     = "UC1234567890123456789012"
	bestTalks = "PL1234567890"
)

// setVideoSite gives the video site a channel with two videos, and a playlist with one
// that has been removed.
func (s *service) setVideoSite() {
	summary := func(id, title string, seconds int, short bool) discovery.Summary {
		return discovery.Summary{
			VideoID: id, Title: &title, ChannelID: new(talks), Channel: new("Talks"), DurationSec: &seconds,
			IsLive: new(false), IsShort: &short,
		}
	}
	long, shorter := summary(video, "A short talk", 10, false), summary(shortTalk, "A shorter talk", 9, true)
	long.PublishedAt, long.ViewCount = new(transcript.At(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))), new(int64(1200))
	s.Engine.SetVideos(
		discovery.Video{
			Summary: long, Description: new("What it says, and why."), Tags: []string{"talk"},
			Tracks:              []transcript.Track{{ID: "en.manual", Lang: "en", Kind: transcript.TrackManual}},
			TrackMetadataStatus: transcript.TracksOK,
		},
		discovery.Video{Summary: shorter},
	)
	s.Engine.SetChannels(discovery.Channel{
		ChannelID: talks, Title: new("Talks"), Handle: new("@talks"), SubscriberCount: new(int64(321)), UploadsPlaylistID: new("UU" + talks[2:]),
	})
	s.Engine.SetPlaylists(discovery.Playlist{PlaylistID: bestTalks, Title: new("Best talks"), ChannelID: new(talks), Channel: new("Talks")})
	s.Engine.SetList(bestTalks, "aaaaaaaaaaa")
}

// list reads pages of a list until its end, and returns the ids of all entries.
func (s *service) list(t *testing.T, path string, size int, id func(entry map[string]any) any) (ids []any, pages int) {
	t.Helper()
	for token := ""; ; {
		q := url.Values{"maxResults": {strconv.Itoa(size)}}
		if token != "" {
			q.Set("pageToken", token)
		}
		mark := "?"
		if strings.Contains(path, "?") {
			mark = "&"
		}
		a := s.get(t, path+mark+q.Encode())
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		pages++
		o := a.object(t)
		for _, entry := range o["items"].([]any) {
			ids = append(ids, id(entry.(map[string]any)))
		}
		next, more := o["nextPageToken"]
		if !more {
			return ids, pages
		}
		token = next.(string)
	}
}

func ofVideo(entry map[string]any) any { return entry["video"].(map[string]any)["videoId"] }

// Every list is read to its end, page by page.
func TestDiscoveryLists(t *testing.T) {
	t.Parallel()
	everyWay(t, "lists", func(t *testing.T, start starter) {
		s := start(t)
		s.setVideoSite()
		s.Engine.SetList(bestTalks, video, "aaaaaaaaaaa", shortTalk)
		summary := func(entry map[string]any) any { return entry["videoId"] }
		for _, c := range []struct {
			path string
			id   func(map[string]any) any
			want []any
		}{
			{"/v1/video_site/search?q=TALK", ofVideo, []any{video, shortTalk}},
			{"/v1/video_site/search?q=talk&order=views&channelId=" + talks, ofVideo, []any{video, shortTalk}},
			{"/v1/video_site/search?q=shorter", ofVideo, []any{shortTalk}},
			{"/v1/video_site/search?q=nothing", ofVideo, nil},
			{"/v1/video_site/channels/@talks/videos", summary, []any{video, shortTalk}},
			{"/v1/video_site/channels/" + talks + "/videos?type=short", summary, []any{shortTalk}},
			{"/v1/video_site/channels/" + talks + "/videos?type=video", summary, []any{video}},
			{"/v1/video_site/channels/" + talks + "/videos?type=live", summary, nil},
			{"/v1/video_site/playlists/" + bestTalks + "/items", ofVideo, []any{video, "aaaaaaaaaaa", shortTalk}},
		} {
			for _, size := range []int{1, 2, 50} {
				ids, pages := s.list(t, c.path, size, c.id)
				assert.Equal(t, c.want, ids, "%s, %d at once", c.path, size)
				assert.Equal(t, max(1, (len(c.want)+size-1)/size), pages, "%s, %d at once", c.path, size)
			}
		}
	})
}
