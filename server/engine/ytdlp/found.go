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

// The ids of the video site. An entry with an id of another form is not a content of the site.
var (
	videoID    = regexp.MustCompile(`^[A-Za-z0-9_-]{11}$`)
	channelID  = regexp.MustCompile(`^UC[A-Za-z0-9_-]{22}$`)
	playlistID = regexp.MustCompile(`^[A-Z]{2}[A-Za-z0-9_-]{10,64}$`)
)

// result reads an entry of a results page. It reports false if the entry is not of the type.
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

// summary returns the data of an entry, or only its id if the video is not available.
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

// there reports whether an entry is a visible video. The title "[Deleted video]" or "[Private
// video]" is a placeholder, unless the entry has more data.
func (l *list) there() bool {
	hidden := l.Title == "[Deleted video]" || l.Title == "[Private video]"
	return !hidden || l.seconds() > 0 || l.channelTitle() != nil
}

// channel reads a channel from the channel's page or from an entry. An entry has at most a part
// of the description.
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
	// If the subscribers are hidden, the program may report the number of subscribers as the
	// number of videos.
	if l.Followers.n != nil {
		c.VideoCount = l.Count.n
	}
	return c
}

// summary converts the program's description of a video, from a list or from the video's page.
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

// live reports whether the video is being broadcast; nil if the program does not tell. A video
// with a length is not live.
func (a about) live() *bool {
	switch {
	case a.LiveStatus != "":
		return new(a.LiveStatus == "is_live")
	case a.seconds() > 0:
		return new(false)
	}
	return nil
}

// longestShort is the length of the longest short video, in seconds.
const longestShort = 180

// short reports whether the video is a short one; nil if the program does not tell.
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

// description returns the text with its lines; nil if the program has none.
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

// present returns nil for an empty text.
func present(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
