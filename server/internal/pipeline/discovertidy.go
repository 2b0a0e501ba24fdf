package pipeline

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

// Discovery passes answers of the video site on to callers, and callers rely on the
// rules of the API. If an answer breaks the rules, the whole answer is a fault: without
// its bad part, a list would be too short. A wrong detail, such as a count or a link,
// becomes unknown.

// maxNext is how long the Next of an engine may be, in bytes.
const maxNext = 512

// ValidNext tells that a text may be the Next of an engine.
func ValidNext(text string) bool {
	return text != "" && len(text) <= maxNext && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// notUnderstood is the error of an answer that breaks the rules.
func notUnderstood(why error) error {
	return transcript.Errorf(transcript.UpstreamFailed, "The platform's answer cannot be understood.").Because(why)
}

// judge makes an answer to the question, to which said points, keep to the rules.
func (d discovery) judge(sites *site.Table, said any) error {
	j := judge{sites: sites}
	switch found := said.(type) {
	case *engine.Listing[video.Result]:
		j.listing(d.At, len(found.Items), found.Next)
		for i := range found.Items {
			j.result(d.Search.Type, &found.Items[i])
		}
	case *[]video.Video:
		j.videos(d.Videos, *found)
	case *video.Channel:
		j.channel(found)
		j.same(d.Channel, found.ChannelID)
	case *engine.Listing[video.Summary]:
		j.listing(d.At, len(found.Items), found.Next)
		j.must(j.names(sites.Channel, found.ID), "a channel", found.ID)
		j.same(d.Uploads, found.ID)
		for i := range found.Items {
			j.summary(&found.Items[i])
		}
	case *engine.Listing[video.Item]:
		j.listing(d.At, len(found.Items), found.Next)
		found.ID = d.Items.ID
		for i := range found.Items {
			item := &found.Items[i]
			j.must(item.Position >= 0, "a position", item.Position)
			if !item.Available {
				item.Video = video.Summary{VideoID: item.Video.VideoID}
			}
			j.summary(&item.Video)
		}
	}
	if j.wrong != nil {
		return notUnderstood(j.wrong)
	}
	return nil
}

// judge holds what an engine says to the rules. The first that is broken is kept.
type judge struct {
	sites *site.Table
	wrong error
}

func (j *judge) must(holds bool, what string, said any) {
	if !holds && j.wrong == nil {
		j.wrong = fmt.Errorf("pipeline: the answer of discovery has %s that is none: %.100q", what, fmt.Sprint(said))
	}
}

// names tells that a text is the id of a channel or a playlist of the video site, and
// neither a link nor a name.
func (j *judge) names(find func(string) (site.Match, error), id string) bool {
	match, err := find(id)
	return err == nil && match.Platform == transcript.VideoSite && match.ExternalID == id && !match.Named
}

// same holds an answer to be about the list that was asked for.
func (j *judge) same(asked *engine.List, id string) {
	j.must(id == asked.ID || !j.names(j.sites.Channel, asked.ID), "a channel that was asked for", id)
}

func (j *judge) listing(at engine.Window, n int, next string) {
	j.must(n <= at.Max, "a number of entries", n)
	j.must(next == "" || ValidNext(next) && next != at.After, "a next page", next)
}

func (j *judge) result(wanted video.Type, r *video.Result) {
	members := 0
	for _, there := range []bool{r.Video != nil, r.Channel != nil, r.Playlist != nil} {
		if there {
			members++
		}
	}
	j.must(r.Type == wanted && members == 1, "a type", r.Type)
	switch {
	case r.Type == video.TypeVideo && r.Video != nil:
		j.summary(r.Video)
	case r.Type == video.TypeChannel && r.Channel != nil:
		j.channel(r.Channel)
	case r.Type == video.TypePlaylist && r.Playlist != nil:
		j.playlist(r.Playlist)
	default:
		j.must(false, "a member for its type", r.Type)
	}
}

func (j *judge) videos(asked []engine.Content, found []video.Video) {
	wanted := map[string]bool{}
	for _, c := range asked {
		wanted[c.ExternalID] = true
	}
	for i := range found {
		v := &found[i]
		j.must(wanted[v.VideoID], "a video that was asked for", v.VideoID)
		delete(wanted, v.VideoID) // one is enough
		j.summary(&v.Summary)
		v.LikeCount = tidyCount(v.LikeCount)
		if v.Tags == nil {
			v.Tags = []string{}
		}
		j.tracks(v)
		v.MetadataStatus = transcript.MetadataPartial
		if v.Title != nil && v.Channel != nil && v.DurationSec != nil {
			v.MetadataStatus = transcript.MetadataComplete
		}
	}
}

// tracks holds what is said of a video's tracks to agree with itself.
func (j *judge) tracks(v *video.Video) {
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
	j.must(holds, "tracks", v.TrackMetadataStatus)
	v.Languages = subject.LanguagesOf(v.Tracks)
}

func (j *judge) summary(s *video.Summary) {
	_, err := j.sites.Content(transcript.VideoSite, s.VideoID)
	j.must(err == nil, "a video id", s.VideoID)
	j.tidyChannelID(&s.ChannelID)
	s.ThumbnailURL, s.ViewCount = tidyLink(s.ThumbnailURL), tidyCount(s.ViewCount)
	if s.DurationSec != nil && (*s.DurationSec < 0 || *s.DurationSec >= math.MaxInt32) {
		s.DurationSec = nil
	}
	if s.PublishedAt != nil && (s.PublishedAt.Year() < 1 || s.PublishedAt.Year() > 9999) {
		s.PublishedAt = nil
	}
}

func (j *judge) channel(c *video.Channel) {
	j.must(j.names(j.sites.Channel, c.ChannelID), "a channel id", c.ChannelID)
	c.URL, c.ThumbnailURL = tidyLink(c.URL), tidyLink(c.ThumbnailURL)
	c.SubscriberCount, c.VideoCount = tidyCount(c.SubscriberCount), tidyCount(c.VideoCount)
	if c.UploadsPlaylistID != nil && !j.names(j.sites.Playlist, *c.UploadsPlaylistID) {
		c.UploadsPlaylistID = nil
	}
}

func (j *judge) playlist(p *video.Playlist) {
	j.must(j.names(j.sites.Playlist, p.PlaylistID), "a playlist id", p.PlaylistID)
	j.tidyChannelID(&p.ChannelID)
	p.ThumbnailURL, p.ItemCount = tidyLink(p.ThumbnailURL), tidyCount(p.ItemCount)
}

func (j *judge) tidyChannelID(id **string) {
	if *id != nil && !j.names(j.sites.Channel, **id) {
		*id = nil
	}
}

func tidyCount(n *int64) *int64 {
	if n != nil && *n < 0 {
		return nil
	}
	return n
}

// tidyLink keeps links that a browser may be sent to.
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
