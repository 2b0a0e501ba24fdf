package sitetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// Catalog is what a video site has. Nothing else exists on the site. Each fake of the site serves
// a catalog in its own format.
type Catalog struct {
	Base      string // the address of the site
	Videos    []Video
	Channels  []Channel
	Playlists []Playlist
}

// Video is a public video. The site does not show fields that are nil.
type Video struct {
	video.Video
	Broadcast bool // it is being broadcast, or was
}

// Channel is a channel with the ids of its uploads, newest first.
type Channel struct {
	video.Channel
	Uploads []string
}

// Playlist is a playlist with the ids of its entries; an id may occur twice. Entries
// without a video in the catalog were removed, or are private.
type Playlist struct {
	video.Playlist
	Entries []string
	Private bool // only its owner can see it
}

// Ids that are in a catalog, or were.
const (
	RemovedVideo = "removed-001"
	PrivateVideo = "private-001"
	NoVideo      = "nothing-001" // has never existed

	TalksChannel = "UCtalks00000000000000001" // has 64 uploads
	QuietChannel = "UCquiet00000000000000001" // has none, and shows no subscribers
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

// NewCatalog returns the catalog of the site at base. A Discovery is tested with it.
func NewCatalog(base string) *Catalog {
	c := &Catalog{Base: base}
	var uploads []string
	for n := range talks {
		c.Videos, uploads = append(c.Videos, Talk(n)), append(uploads, TalkID(n))
	}
	c.Channels = []Channel{
		{video.Channel{
			ChannelID: TalksChannel, Title: new(channelTitles[TalksChannel]), Handle: new("@talks"), Description: new("All talks.\nEvery \"one\" of <them>."),
			SubscriberCount: new(int64(1_230_000)), VideoCount: new(int64(talks)), UploadsPlaylistID: new("UU" + TalksChannel[2:]),
		}, uploads},
		{video.Channel{
			ChannelID: QuietChannel, Title: new(channelTitles[QuietChannel]), Handle: new("@ruhe-größe"), Description: new(""),
			VideoCount: new(int64(0)), UploadsPlaylistID: new("UU" + QuietChannel[2:]),
		}, nil},
	}
	private := NewPlaylist(PrivatePlaylist, "Secret talks", TalkID(1))
	private.Private = true
	c.Playlists = []Playlist{
		NewPlaylist(TalksPlaylist, "A list of talks & <others>", listed()...), NewPlaylist(EmptyPlaylist, "No talk at all"), private,
	}
	return c
}

// NewPlaylist returns a public playlist of the channel of the talks.
func NewPlaylist(id, title string, entries ...string) Playlist {
	return Playlist{Playlist: video.Playlist{
		PlaylistID: id, Title: &title, ChannelID: new(TalksChannel), Channel: new(channelTitles[TalksChannel]), ItemCount: new(int64(len(entries))),
	}, Entries: entries}
}

// Talk returns a video, counted from 0, the newest. Some have hostile texts, some hide fields.
func Talk(n int) Video {
	v := Video{Video: video.Video{Summary: video.Summary{
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
			ids = append(ids, PrivateVideo)
		default:
			ids = append(ids, TalkID((n*3)%talks))
		}
	}
	return ids
}

// Video returns a video by its id.
func (c *Catalog) Video(id string) (Video, bool) {
	n := slices.IndexFunc(c.Videos, func(v Video) bool { return v.VideoID == id })
	if n < 0 {
		return Video{}, false
	}
	return c.Videos[n], true
}

// Channel returns a channel by its id or its handle.
func (c *Catalog) Channel(name string) (Channel, bool) {
	n := slices.IndexFunc(c.Channels, func(ch Channel) bool { return ch.ChannelID == name || *ch.Handle == name })
	if n < 0 {
		return Channel{}, false
	}
	return c.Channels[n], true
}

// Playlist returns a playlist by its id, also the playlist of a channel's uploads.
func (c *Catalog) Playlist(id string) (Playlist, bool) {
	for _, p := range c.Playlists {
		if p.PlaylistID == id {
			return p, true
		}
	}
	for _, ch := range c.Channels {
		if *ch.UploadsPlaylistID == id {
			return Playlist{Playlist: video.Playlist{PlaylistID: id, Title: new("Uploads from " + *ch.Title)}, Entries: ch.Uploads}, true
		}
	}
	return Playlist{}, false
}

// Uploads returns the ids of a channel's uploads of a kind, newest first.
func (c *Catalog) Uploads(channelID string, kind video.Kind) (ids []string) {
	ch, _ := c.Channel(channelID) // an unknown channel has no uploads
	for _, id := range ch.Uploads {
		v, _ := c.Video(id) // the catalog has all of them
		of := map[video.Kind]bool{video.All: true, video.Shorts: *v.IsShort, video.Live: v.Broadcast, video.Regular: !*v.IsShort && !v.Broadcast}
		if of[kind] {
			ids = append(ids, id)
		}
	}
	return ids
}

// Search returns all videos, channels or playlists with the searched words in the title,
// without regard to case. By relevance they are in the order of the catalog.
func (c *Catalog) Search(q video.Search) (found []video.Result) {
	matches := func(title, channelID *string) bool {
		return strings.Contains(strings.ToLower(*title), strings.ToLower(q.Q)) && (q.ChannelID == "" || q.ChannelID == *channelID)
	}
	switch q.Type {
	case video.TypeChannel:
		for _, ch := range c.Channels {
			if matches(ch.Title, &ch.ChannelID) {
				found = append(found, video.Result{Type: q.Type, Channel: &ch.Channel})
			}
		}
	case video.TypePlaylist:
		for _, p := range c.Playlists {
			if !p.Private && matches(p.Title, p.ChannelID) {
				found = append(found, video.Result{Type: q.Type, Playlist: &p.Playlist})
			}
		}
	default:
		for _, v := range c.Videos {
			if matches(v.Title, v.ChannelID) {
				found = append(found, video.Result{Type: video.TypeVideo, Video: &v.Summary})
			}
		}
		if q.Order == video.ByViews {
			slices.SortStableFunc(found, func(a, b video.Result) int { return cmp.Compare(views(b), views(a)) })
		}
	}
	return found
}

// views returns the views of a video, 0 if it hides them.
func views(r video.Result) int64 {
	if r.Video.ViewCount == nil {
		return 0
	}
	return *r.Video.ViewCount
}

// Content returns the video with an id.
func (c *Catalog) Content(id string) engine.Content {
	return engine.Content{Platform: transcript.VideoSite, ExternalID: id, URL: c.Base + "/watch?v=" + id}
}

// ListOf returns the channel with an id or a handle, or the playlist with an id.
func (c *Catalog) ListOf(id string) engine.List {
	l := engine.List{Platform: transcript.VideoSite, Kind: engine.ChannelList, ID: id, URL: c.Base + "/channel/" + id}
	switch {
	case strings.HasPrefix(id, "@"):
		l.URL = c.Base + "/" + id
	case !strings.HasPrefix(id, "UC"):
		l.Kind, l.URL = engine.PlaylistList, c.Base+"/playlist?list="+id
	}
	return l
}
