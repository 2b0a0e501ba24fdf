package ask

import (
	"fmt"
	"math"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// The answers of discovery go to callers, who rely on the rules of the API. If an answer
// breaks a rule, the whole answer is an error: a list without some of its entries would be
// shorter than the real list. A wrong value of little importance, such as a count or a
// link, is left out.

// maxNext is the longest page token of an engine, in bytes.
const maxNext = 512

// ValidNext reports whether a text can be the page token of an engine.
func ValidNext(text string) bool {
	return text != "" && len(text) <= maxNext && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// notUnderstood is the error of an answer that breaks a rule.
func notUnderstood(why error) error {
	return transcript.Errorf(transcript.UpstreamFailed, "The platform's answer cannot be understood.").Because(why)
}

// check makes an answer follow the rules. said points to the answer.
func (d discovery) check(sites *site.Table, said any) error {
	rs := rules{sites: sites}
	switch found := said.(type) {
	case *engine.Listing[video.Result]:
		rs.listing(d.At, len(found.Items), found.Next)
		for i := range found.Items {
			rs.result(d.Search.Type, &found.Items[i])
		}
	case *[]video.Video:
		rs.videos(d.Videos, *found)
	case *video.Channel:
		rs.channel(found)
		rs.same(d.Channel, found.ChannelID)
	case *engine.Listing[video.Summary]:
		rs.listing(d.At, len(found.Items), found.Next)
		rs.must(rs.names(sites.Channel, found.ID), "a channel", found.ID)
		rs.same(d.Uploads, found.ID)
		for i := range found.Items {
			rs.summary(&found.Items[i])
		}
	case *engine.Listing[video.Item]:
		rs.listing(d.At, len(found.Items), found.Next)
		found.ID = d.Items.ID
		for i := range found.Items {
			item := &found.Items[i]
			rs.must(item.Position >= 0, "a position", item.Position)
			if !item.Available {
				item.Video = video.Summary{VideoID: item.Video.VideoID}
			}
			rs.summary(&item.Video)
		}
	}
	if rs.wrong != nil {
		return notUnderstood(rs.wrong)
	}
	return nil
}

// rules checks the answer of an engine. It keeps the first broken rule.
type rules struct {
	sites *site.Table
	wrong error
}

func (rs *rules) must(holds bool, what string, said any) {
	if !holds && rs.wrong == nil {
		rs.wrong = fmt.Errorf("ask: the answer of discovery has %s that is none: %.100q", what, fmt.Sprint(said))
	}
}

// names reports whether a text is the id of a channel or a playlist of the video site. A
// link or a name is not an id.
func (rs *rules) names(find func(string) (site.Match, error), id string) bool {
	match, err := find(id)
	return err == nil && match.Platform == transcript.VideoSite && match.ExternalID == id && !match.Named
}

// same checks that the answer is about the list in the question.
func (rs *rules) same(asked *engine.List, id string) {
	rs.must(id == asked.ID || !rs.names(rs.sites.Channel, asked.ID), "a channel that was asked for", id)
}

func (rs *rules) listing(at engine.Window, n int, next string) {
	rs.must(n <= at.Max, "a number of entries", n)
	rs.must(next == "" || ValidNext(next) && next != at.After, "a next page", next)
}

func (rs *rules) result(wanted video.Type, r *video.Result) {
	members := 0
	for _, there := range []bool{r.Video != nil, r.Channel != nil, r.Playlist != nil} {
		if there {
			members++
		}
	}
	rs.must(r.Type == wanted && members == 1, "a type", r.Type)
	switch {
	case r.Type == video.TypeVideo && r.Video != nil:
		rs.summary(r.Video)
	case r.Type == video.TypeChannel && r.Channel != nil:
		rs.channel(r.Channel)
	case r.Type == video.TypePlaylist && r.Playlist != nil:
		rs.playlist(r.Playlist)
	default:
		rs.must(false, "a member for its type", r.Type)
	}
}

func (rs *rules) videos(asked []engine.Content, found []video.Video) {
	wanted := map[string]bool{}
	for _, c := range asked {
		wanted[c.ExternalID] = true
	}
	for i := range found {
		v := &found[i]
		rs.must(wanted[v.VideoID], "a video that was asked for", v.VideoID)
		delete(wanted, v.VideoID) // each id counts once
		rs.summary(&v.Summary)
		v.LikeCount = tidyCount(v.LikeCount)
		if v.Tags == nil {
			v.Tags = []string{}
		}
		rs.tracks(v)
		v.MetadataStatus = transcript.MetadataPartial
		if v.Title != nil && v.Channel != nil && v.DurationSec != nil {
			v.MetadataStatus = transcript.MetadataComplete
		}
	}
}

// tracks checks that the members about tracks agree with each other.
func (rs *rules) tracks(v *video.Video) {
	if v.Tracks == nil {
		v.Tracks = []transcript.Track{}
	}
	holds := len(v.Tracks) == 0
	switch v.TrackMetadataStatus {
	case transcript.TracksOK:
		holds, v.CaptionAvailable = !holds, subject.AnyCaptions(v.Tracks)
	case transcript.TracksEmpty:
		v.CaptionAvailable = subject.AnyCaptions(nil)
	case transcript.TracksFailed, transcript.TracksSkipped:
	default:
		holds = false
	}
	rs.must(holds, "tracks", v.TrackMetadataStatus)
	v.Languages = subject.LanguagesOf(v.Tracks)
}

func (rs *rules) summary(s *video.Summary) {
	_, err := rs.sites.Content(transcript.VideoSite, s.VideoID)
	rs.must(err == nil, "a video id", s.VideoID)
	rs.tidyChannelID(&s.ChannelID)
	s.ThumbnailURL, s.ViewCount = tidyLink(s.ThumbnailURL), tidyCount(s.ViewCount)
	if s.DurationSec != nil && (*s.DurationSec < 0 || *s.DurationSec >= math.MaxInt32) {
		s.DurationSec = nil
	}
	if s.PublishedAt != nil && (s.PublishedAt.Year() < 1 || s.PublishedAt.Year() > 9999) {
		s.PublishedAt = nil
	}
}

func (rs *rules) channel(c *video.Channel) {
	rs.must(rs.names(rs.sites.Channel, c.ChannelID), "a channel id", c.ChannelID)
	c.URL, c.ThumbnailURL = tidyLink(c.URL), tidyLink(c.ThumbnailURL)
	c.SubscriberCount, c.VideoCount = tidyCount(c.SubscriberCount), tidyCount(c.VideoCount)
	if c.UploadsPlaylistID != nil && !rs.names(rs.sites.Playlist, *c.UploadsPlaylistID) {
		c.UploadsPlaylistID = nil
	}
}

func (rs *rules) playlist(p *video.Playlist) {
	rs.must(rs.names(rs.sites.Playlist, p.PlaylistID), "a playlist id", p.PlaylistID)
	rs.tidyChannelID(&p.ChannelID)
	p.ThumbnailURL, p.ItemCount = tidyLink(p.ThumbnailURL), tidyCount(p.ItemCount)
}

func (rs *rules) tidyChannelID(id **string) {
	if *id != nil && !rs.names(rs.sites.Channel, **id) {
		*id = nil
	}
}

func tidyCount(n *int64) *int64 {
	if n != nil && *n < 0 {
		return nil
	}
	return n
}

// tidyLink keeps links that a browser may open.
func tidyLink(link *string) *string {
	if link == nil {
		return nil
	}
	u, err := url.Parse(*link)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil
	}
	return link
}
