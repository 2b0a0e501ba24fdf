package servertest

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// site is the content of the video site.
type site struct {
	videos    []video.Video
	channels  []video.Channel
	playlists []video.Playlist
	err       error
	gate      chan struct{} // nil means open
	asked     int
}

// SetVideos sets the videos of the video site, newest first. A search finds a video by words in
// its title, and its ChannelID lists it among the channel's uploads; SetList puts it into a
// playlist. A new site has no videos.
func (e *Engine) SetVideos(videos ...video.Video) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.site.videos = videos
}

// SetChannels sets the channels of the video site. A search finds a channel by words in its
// title. Its id and its Handle name it.
func (e *Engine) SetChannels(channels ...video.Channel) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.site.channels = channels
}

// SetPlaylists sets the playlists that a search finds on the video site by words of their
// titles. SetList sets their entries.
func (e *Engine) SetPlaylists(playlists ...video.Playlist) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.site.playlists = playlists
}

// FailDiscovery makes all later requests for videos, channels and playlists fail with
// err; nil makes them work again. Use errors with codes: see [engine.Discovery]. After
// a transcript.IPBlocked the service does not visit the site for the seconds of
// RetryAfter, or 30.
func (e *Engine) FailDiscovery(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.site.err = err
}

// HoldDiscovery blocks every later request for searches, videos, channels and lists of
// the video site, as [Engine.Hold] does.
func (e *Engine) HoldDiscovery() (release func()) { return e.hold(&e.site.gate) }

// Discoveries returns how many requests for searches, videos, channels and lists of the
// video site were made.
func (e *Engine) Discoveries() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.site.asked
}

// scriptedSite is the Engine in the role of the video site.
type scriptedSite struct{ e *Engine }

// ask waits until the site answers and returns its content.
func (s scriptedSite) ask(ctx context.Context) (site, error) {
	s.e.mu.Lock()
	s.e.site.asked++
	there := s.e.site
	s.e.mu.Unlock()
	if err := pass(ctx, there.gate); err != nil {
		return site{}, err
	}
	return there, there.err
}

func (s scriptedSite) Search(ctx context.Context, q video.Search, at engine.Window) (engine.Listing[video.Result], error) {
	there, err := s.ask(ctx)
	if err != nil {
		return engine.Listing[video.Result]{}, err
	}
	if q.ChannelID != "" && !there.hasChannel(q.ChannelID) {
		return engine.Listing[video.Result]{}, errNoChannel()
	}
	var found []video.Result
	switch q.Type {
	case video.TypeVideo:
		for _, v := range there.sorted(q.Order) {
			if has(v.Title, q.Q) && in(q.ChannelID, v.ChannelID) {
				found = append(found, video.Result{Type: q.Type, Video: &v.Summary})
			}
		}
	case video.TypeChannel:
		for _, c := range there.channels {
			if has(c.Title, q.Q) && in(q.ChannelID, &c.ChannelID) {
				found = append(found, video.Result{Type: q.Type, Channel: &c})
			}
		}
	case video.TypePlaylist:
		for _, p := range there.playlists {
			if has(p.Title, q.Q) && in(q.ChannelID, p.ChannelID) {
				found = append(found, video.Result{Type: q.Type, Playlist: &p})
			}
		}
	}
	return window(found, at)
}

func (s scriptedSite) Videos(ctx context.Context, contents []engine.Content) (found []video.Video, err error) {
	there, err := s.ask(ctx)
	for _, v := range there.videos {
		if slices.ContainsFunc(contents, func(c engine.Content) bool { return c.ExternalID == v.VideoID }) {
			v.TrackMetadataStatus = cmp.Or(v.TrackMetadataStatus, transcript.TracksSkipped)
			found = append(found, v)
		}
	}
	return found, err
}

func (s scriptedSite) Channel(ctx context.Context, channel engine.List) (video.Channel, error) {
	there, err := s.ask(ctx)
	if err != nil {
		return video.Channel{}, err
	}
	for _, c := range there.channels {
		if c.ChannelID == channel.ID || c.Handle != nil && *c.Handle == channel.ID {
			return c, nil
		}
	}
	return video.Channel{}, errNoChannel()
}

func (s scriptedSite) Uploads(ctx context.Context, channel engine.List, kind video.Kind, at engine.Window) (engine.Listing[video.Summary], error) {
	c, err := s.Channel(ctx, channel)
	if err != nil {
		return engine.Listing[video.Summary]{}, err
	}
	s.e.mu.Lock()
	videos := s.e.site.videos
	s.e.mu.Unlock()
	var uploads []video.Summary
	for _, v := range videos {
		if v.ChannelID != nil && *v.ChannelID == c.ChannelID && (kind == video.All || kind == kindOf(v.Summary)) {
			uploads = append(uploads, v.Summary)
		}
	}
	page, err := window(uploads, at)
	page.ID = c.ChannelID
	return page, err
}

func (s scriptedSite) Items(ctx context.Context, playlist engine.List, at engine.Window) (engine.Listing[video.Item], error) {
	there, err := s.ask(ctx)
	if err != nil {
		return engine.Listing[video.Item]{}, err
	}
	s.e.mu.Lock()
	entries, exists := s.e.lists.entries[playlist.ID]
	s.e.mu.Unlock()
	if !exists {
		return engine.Listing[video.Item]{}, transcript.Errorf(transcript.Unavailable, "The playlist does not exist.")
	}
	items := make([]video.Item, len(entries))
	for i, id := range entries {
		items[i] = video.Item{Position: i, Video: video.Summary{VideoID: id}}
		for _, v := range there.videos {
			if v.VideoID == id {
				items[i].Available, items[i].Video = true, v.Summary
			}
		}
	}
	page, err := window(items, at)
	for _, p := range there.playlists {
		if p.PlaylistID == playlist.ID && p.Title != nil {
			page.Title = *p.Title
		}
	}
	return page, err
}

func errNoChannel() error {
	return transcript.Errorf(transcript.Unavailable, "The channel does not exist.")
}

func (s site) hasChannel(id string) bool {
	return slices.ContainsFunc(s.channels, func(c video.Channel) bool { return c.ChannelID == id })
}

// sorted returns the videos in an order. Unknown values come last.
func (s site) sorted(order video.Order) []video.Video {
	videos := slices.Clone(s.videos)
	if order == video.ByViews {
		slices.SortStableFunc(videos, func(a, b video.Video) int { return cmp.Compare(views(b), views(a)) })
	}
	return videos
}

func views(v video.Video) int64 {
	if v.ViewCount == nil {
		return -1
	}
	return *v.ViewCount
}

// has reports whether a title contains every word of a query, without regard to case.
func has(title *string, query string) bool {
	if title == nil {
		return false
	}
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(strings.ToLower(*title), word) {
			return false
		}
	}
	return true
}

func in(channel string, id *string) bool { return channel == "" || id != nil && *id == channel }

func kindOf(v video.Summary) video.Kind {
	switch {
	case v.IsLive != nil && *v.IsLive:
		return video.Live
	case v.IsShort != nil && *v.IsShort:
		return video.Shorts
	}
	return video.Regular
}

// window returns a page of a list. A number is the token of the next page.
func window[T any](all []T, at engine.Window) (page engine.Listing[T], err error) {
	from := 0
	if at.After != "" {
		if from, err = strconv.Atoi(at.After); err != nil || from < 1 {
			return page, engine.NoSuchPage()
		}
	}
	from = min(from, len(all))
	to := min(from+at.Max, len(all))
	if page.Items = all[from:to]; to < len(all) {
		page.Next = strconv.Itoa(to)
	}
	return page, nil
}
