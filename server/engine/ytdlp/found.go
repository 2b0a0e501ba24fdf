package ytdlp

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// The ids of the video site. An entry with another one is none of its contents.
var (
	videoID    = regexp.MustCompile(`^[A-Za-z0-9_-]{11}$`)
	channelID  = regexp.MustCompile(`^UC[A-Za-z0-9_-]{22}$`)
	playlistID = regexp.MustCompile(`^[A-Z]{2}[A-Za-z0-9_-]{10,64}$`)
)

// result is an entry of a results page; false: it is nothing of that type.
func (l *list) result(of video.Type) (video.Result, bool) {
	r, id := video.Result{Type: of}, string(l.ID)
	isVideo := l.ReadBy == "Youtube"
	switch {
	case of == video.TypeVideo && isVideo && videoID.MatchString(id):
		s := l.summary()
		r.Video = &s
	case of == video.TypeChannel && channelID.MatchString(id):
		c := l.channel()
		r.Channel = &c
	case of == video.TypePlaylist && !isVideo && !channelID.MatchString(id) && playlistID.MatchString(id):
		r.Playlist = &video.Playlist{
			PlaylistID: id, Title: present(l.title()), ChannelID: l.channelID(), Channel: l.channelTitle(),
			ItemCount: l.Count.n, ThumbnailURL: l.picture(),
		}
	default:
		return video.Result{}, false
	}
	return r, true
}

// summary is what an entry says of a video: of one that is not there its id alone.
func (l *list) summary() video.Summary {
	if !l.there() {
		return video.Summary{VideoID: string(l.ID)}
	}
	s := l.about.summary(string(l.ID))
	if strings.Contains(string(l.URL), "/shorts/") {
		s.IsShort = new(true)
	}
	return s
}

// there reports whether an entry is of a video that can be seen. What the site puts in
// the place of the title of one that cannot be is no title where it says more.
func (l *list) there() bool {
	hidden := l.Title == "[Deleted video]" || l.Title == "[Private video]"
	return !hidden || l.seconds() > 0 || l.channelTitle() != nil
}

// channel is what a channel's page, or an entry, says of a channel. Of its description an
// entry has a part at most.
func (l *list) channel() video.Channel {
	c := video.Channel{
		ChannelID: string(l.ID), Title: l.channelTitle(), Handle: present(l.handle()), ThumbnailURL: l.picture(), SubscriberCount: l.Followers.n, URL: present(webAddress(l.ChannelURL)),
	}
	if id := l.channelID(); id != nil {
		c.ChannelID = *id
	}
	if !channelID.MatchString(c.ChannelID) {
		return c
	}
	c.UploadsPlaylistID = new(uploadsID(c.ChannelID))
	// Without subscribers their number may stand in the place of that of the videos.
	if l.Followers.n != nil {
		c.VideoCount = l.Count.n
	}
	return c
}

// summary is what a program says of a video, in a list or of the video itself.
func (a about) summary(id string) video.Summary {
	m := a.metadata()
	s := video.Summary{
		VideoID: id, Title: present(m.Title), ChannelID: a.channelID(), Channel: a.channelTitle(),
		ThumbnailURL: a.picture(), ViewCount: a.Views.n, IsLive: a.live(), IsShort: a.short(),
	}
	if m.Duration > 0 {
		s.DurationSec = new(int(math.Floor(m.Duration + 0.5)))
	}
	if !m.PublishedAt.IsZero() {
		s.PublishedAt = new(transcript.At(m.PublishedAt))
	}
	return s
}

// live is nil where the program does not say it. What has a length is not on the air.
func (a about) live() *bool {
	switch {
	case a.LiveStatus != "":
		return new(a.LiveStatus == "is_live")
	case a.seconds() > 0:
		return new(false)
	}
	return nil
}

// longestShort is, in seconds, as long as a short video can be.
const longestShort = 180

// short is nil where the program does not say it.
func (a about) short() *bool {
	switch {
	case a.seconds() > longestShort, a.LiveStatus == "is_live", slices.Contains([]text{"video", "livestream"}, a.MediaType):
		return new(false)
	case a.MediaType == "short":
		return new(true)
	}
	return nil
}

func (a about) channelID() *string {
	if !channelID.MatchString(string(a.ChannelID)) {
		return nil
	}
	return new(string(a.ChannelID))
}

func (a about) channelTitle() *string {
	for _, name := range []text{a.Channel, a.Uploader} {
		if line := clip.Line(string(name), maxName); line != "" {
			return &line
		}
	}
	return nil
}

func (a about) picture() *string {
	if link := webAddress(a.Thumbnail); link != "" {
		return &link
	}
	return present(string(a.Thumbnails))
}

// description is the text with its lines, nil where the program knows none.
func (a about) description() *string {
	if a.Description == nil {
		return nil
	}
	plain := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.In(r, unicode.Bidi_Control) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(*a.Description), "\uFFFD"))
	return new(clip.To(strings.TrimSpace(plain), maxDescription))
}

// present is nil for nothing.
func present(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
