// Package sitecatalog has the content of the fake video site for tests of an
// [engine.Discovery]. The author of a Discovery writes a handler that serves a
// [Catalog] in the site's own format: see enginetest.Discovery.
package sitecatalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// PrivateVideo is the id of a video that only its owner can see. It is not in the catalog.
const PrivateVideo = "private-001"

// Catalog is the complete content of a fake video site. Each fake serves a catalog in
// its own format.
type Catalog struct {
	Base      string // the address of the site
	Videos    []Video
	Channels  []Channel
	Playlists []Playlist
}

// Video is a public video. The site does not show fields that are nil.
type Video struct {
	video.Video
	Broadcast bool // whether it is or was a broadcast
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
	Private bool // whether only its owner can see it
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
// without regard to case. Results ordered by relevance are in the order of the catalog.
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
