package sitetest

import (
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// Ids that are or were in a catalog.
const (
	RemovedVideo = "removed-001"
	NoVideo      = "nothing-001" // has never existed

	TalksChannel = "UCtalks00000000000000001" // has 64 uploads
	QuietChannel = "UCquiet00000000000000001" // has no playlists, and shows no subscribers
	NoChannel    = "UCnobod00000000000000001" // does not exist

	TalksPlaylist   = "PLtalks00000000000000001" // has 123 entries
	EmptyPlaylist   = "PLempty00000000000000001"
	PrivatePlaylist = "PLprivy00000000000000001"
	NoPlaylist      = "PLnobod00000000000000001" // does not exist
)

const (
	talks       = 64  // videos of the catalog
	listedTalks = 123 // entries of its playlist
)

var (
	channelTitles = map[string]string{TalksChannel: "Talks & more talk", QuietChannel: "Quiet talk"}
	newest        = time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC)
)

// TalkID returns the id of a talk, counted from 0, the newest.
func TalkID(n int) string { return fmt.Sprintf("talk-%06d", n) }

// NewCatalog returns the catalog of the site at base. Tests compare a Discovery with this
// catalog.
func NewCatalog(base string) *sitecatalog.Catalog {
	c := &sitecatalog.Catalog{Base: base}
	var uploads []string
	for n := range talks {
		c.Videos, uploads = append(c.Videos, Talk(n)), append(uploads, TalkID(n))
	}
	c.Channels = []sitecatalog.Channel{
		{Channel: video.Channel{
			ChannelID: TalksChannel, Title: new(channelTitles[TalksChannel]), Handle: new("@talks"), Description: new("All talks.\nEvery \"one\" of <them>."),
			SubscriberCount: new(int64(1_230_000)), VideoCount: new(int64(talks)), UploadsPlaylistID: new("UU" + TalksChannel[2:]),
		}, Uploads: uploads},
		{Channel: video.Channel{
			ChannelID: QuietChannel, Title: new(channelTitles[QuietChannel]), Handle: new("@ruhe-größe"), Description: new(""),
			VideoCount: new(int64(0)), UploadsPlaylistID: new("UU" + QuietChannel[2:]),
		}},
	}
	private := NewPlaylist(PrivatePlaylist, "Secret talks", TalkID(1))
	private.Private = true
	c.Playlists = []sitecatalog.Playlist{
		NewPlaylist(TalksPlaylist, "A list of talks & <others>", listed()...), NewPlaylist(EmptyPlaylist, "No talk at all"), private,
	}
	return c
}

// NewPlaylist returns a public playlist of the channel of the talks.
func NewPlaylist(id, title string, entries ...string) sitecatalog.Playlist {
	return sitecatalog.Playlist{Playlist: video.Playlist{
		PlaylistID: id, Title: &title, ChannelID: new(TalksChannel), Channel: new(channelTitles[TalksChannel]), ItemCount: new(int64(len(entries))),
	}, Entries: entries}
}

// Talk returns a video, counted from 0, the newest. Some have hostile texts, some hide fields.
func Talk(n int) sitecatalog.Video {
	v := sitecatalog.Video{Video: video.Video{Summary: video.Summary{
		VideoID: TalkID(n), Title: new(fmt.Sprintf("Talk %d", n)), ChannelID: new(TalksChannel), Channel: new(channelTitles[TalksChannel]),
		DurationSec: new(61 + 100*n), PublishedAt: new(transcript.At(newest.Add(-time.Duration(n) * 25 * time.Hour))),
		ViewCount: new(int64(1000 + 7919*n%64*100)), IsLive: new(false), IsShort: new(n%10 == 5), CaptionAvailable: new(n%2 == 0),
	}, Description: new(fmt.Sprintf("What talk %d is about:\nhttps://example.com/?a=1&b=<2>", n)), Tags: []string{"talk", "tag & more"}, LikeCount: new(int64(10 * n))}}
	if n%2 == 0 {
		v.Languages = []string{"en"}
		v.Tracks = []transcript.Track{{Lang: "en", Name: "English", Kind: transcript.TrackManual}}
	}
	switch n {
	case 0: // is being broadcast
		v.Broadcast, v.IsLive, v.DurationSec = true, new(true), nil
	case 1:
		v.Title = new(`Talk <b>fish</b> & "chips" &amp; it's ` + "\u202Eliat\u202C 🎣 \\u003c ${x} {{.}}")
	case 2: // hides its counts
		v.ViewCount, v.LikeCount = nil, nil
	case 3:
		v.ViewCount, v.LikeCount, v.Tags, v.Description = new(int64(0)), new(int64(0)), []string{}, new("")
	case 8:
		v.Broadcast = true
	case 9:
		v.DurationSec = new(100*3600 + 61) // over four days
	}
	return v
}

// listed returns the entries of the playlist: with removed ones, and with one that occurs
// twice.
func listed() (ids []string) {
	for n := range listedTalks {
		switch {
		case n%7 == 3:
			ids = append(ids, RemovedVideo)
		case n%11 == 5:
			ids = append(ids, sitecatalog.PrivateVideo)
		default:
			ids = append(ids, TalkID((n*3)%talks))
		}
	}
	return ids
}
