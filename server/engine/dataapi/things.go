package dataapi

import (
	"net/url"
	"strings"
	"time"

	"google.golang.org/api/youtube/v3"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

const maxLine = 500 // characters of a name; names on the site have at most 150

// known returns a name or an id on one line, nil for an empty one.
func known(text string) *string {
	if text = clip.Line(text, maxLine); text == "" {
		return nil
	}
	return &text
}

// published reads a time of the API. It returns nil if the API names none.
func published(text string) *transcript.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	return new(transcript.At(at))
}

// picture returns the address of the largest common size.
func picture(t *youtube.ThumbnailDetails) *string {
	if t == nil {
		return nil
	}
	for _, size := range []*youtube.Thumbnail{t.High, t.Medium, t.Default} {
		if size == nil {
			continue
		}
		if at, err := url.Parse(size.Url); err == nil && (at.Scheme == "https" || at.Scheme == "http") && at.Host != "" {
			return &size.Url
		}
	}
	return nil
}

// onAir reports whether a video is being broadcast now, nil if the API does not tell.
func onAir(broadcast string) *bool {
	switch broadcast {
	case "live":
		return new(true)
	case "none", "upcoming":
		return new(false)
	}
	return nil
}

// captioned returns true for a video with captions that people made. Otherwise it returns nil:
// the API also says false for a video that has only automatic captions.
func captioned(caption string) *bool {
	if caption == "true" {
		return new(true)
	}
	return nil
}

// readVideo reads a video, with the counts that the video shows.
func readVideo(v *youtube.Video, statistics map[string]rawJSON) video.Video {
	read := video.Video{Summary: video.Summary{VideoID: v.Id}, TrackMetadataStatus: transcript.TracksSkipped}
	if s := v.Snippet; s != nil {
		read.Title, read.ChannelID, read.Channel = known(s.Title), known(s.ChannelId), known(s.ChannelTitle)
		read.PublishedAt, read.ThumbnailURL, read.IsLive = published(s.PublishedAt), picture(s.Thumbnails), onAir(s.LiveBroadcastContent)
		read.Description, read.Tags = &s.Description, append([]string{}, s.Tags...)
	}
	if c := v.ContentDetails; c != nil {
		read.DurationSec, read.CaptionAvailable = seconds(c.Duration), captioned(c.Caption)
	}
	if s := v.Statistics; s != nil {
		read.ViewCount, read.LikeCount = count(statistics, "viewCount", s.ViewCount), count(statistics, "likeCount", s.LikeCount)
	}
	told := transcript.Metadata{}
	if read.Title != nil {
		told.Title = *read.Title
	}
	if read.Channel != nil {
		told.Channel = *read.Channel
	}
	if read.DurationSec != nil {
		told.Duration = float64(*read.DurationSec)
	}
	read.MetadataStatus = told.Status()
	return read
}

// readChannel reads a channel, with the counts that the channel shows.
func (d *Discovery) readChannel(c *youtube.Channel, statistics map[string]rawJSON) video.Channel {
	read := video.Channel{ChannelID: c.Id, URL: new(d.site + "/channel/" + url.PathEscape(c.Id))}
	if s := c.Snippet; s != nil {
		read.Title, read.Description, read.ThumbnailURL = known(s.Title), &s.Description, picture(s.Thumbnails)
		if strings.HasPrefix(s.CustomUrl, "@") { // older custom names are not handles
			read.Handle = &s.CustomUrl
		}
	}
	if s := c.Statistics; s != nil {
		read.VideoCount = count(statistics, "videoCount", s.VideoCount)
		if !s.HiddenSubscriberCount {
			read.SubscriberCount = count(statistics, "subscriberCount", s.SubscriberCount)
		}
	}
	read.UploadsPlaylistID = known(uploadsOf(c))
	return read
}

// uploadsOf returns the id of the playlist of a channel's uploads, empty if there is none.
func uploadsOf(c *youtube.Channel) string {
	if c.ContentDetails == nil || c.ContentDetails.RelatedPlaylists == nil {
		return ""
	}
	return c.ContentDetails.RelatedPlaylists.Uploads
}

// readPlaylist reads a playlist. details holds the members that the answer really contains.
func readPlaylist(p *youtube.Playlist, details map[string]rawJSON) video.Playlist {
	read := video.Playlist{PlaylistID: p.Id}
	if s := p.Snippet; s != nil {
		read.Title, read.ChannelID, read.Channel, read.ThumbnailURL = known(s.Title), known(s.ChannelId), known(s.ChannelTitle), picture(s.Thumbnails)
	}
	if c := p.ContentDetails; c != nil && c.ItemCount >= 0 {
		read.ItemCount = count(details, "itemCount", uint64(c.ItemCount))
	}
	return read
}
