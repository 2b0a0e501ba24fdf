package server_test

import (
	"time"

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
