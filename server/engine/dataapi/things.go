package dataapi

import (
	"net/url"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

const maxLine = 500 // characters of a name; names on the site have at most 150

// known returns a name or an id on one line, or nil if it is empty.
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
func picture(t thumbnails) *string {
	for _, size := range []thumbnail{t.High, t.Medium, t.Default} {
		if at, err := url.Parse(size.URL); err == nil && (at.Scheme == "https" || at.Scheme == "http") && at.Host != "" {
			return &size.URL
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
func readVideo(v *foundVideo) video.Video {
	read := video.Video{Summary: video.Summary{VideoID: v.ID}, TrackMetadataStatus: transcript.TracksSkipped}
	if s := v.Snippet; s != nil {
		read.Title, read.ChannelID, read.Channel = known(s.Title), known(s.ChannelID), known(s.ChannelTitle)
		read.PublishedAt, read.ThumbnailURL, read.IsLive = published(s.PublishedAt), picture(s.Thumbnails), onAir(s.Broadcast)
		read.Description, read.Tags = &s.Description, append([]string{}, s.Tags...)
	}
	if c := v.Details; c != nil {
		read.DurationSec, read.CaptionAvailable = seconds(c.Duration), captioned(c.Caption)
	}
	read.ViewCount, read.LikeCount = shown(v.Statistics.Views), shown(v.Statistics.Likes)
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
func (d *Discovery) readChannel(c *foundChannel) video.Channel {
	read := video.Channel{ChannelID: c.ID, URL: new(d.site + "/channel/" + url.PathEscape(c.ID))}
	if s := c.Snippet; s != nil {
		read.Title, read.Description, read.ThumbnailURL = known(s.Title), &s.Description, picture(s.Thumbnails)
		if strings.HasPrefix(s.CustomURL, "@") { // older custom names are not handles
			read.Handle = &s.CustomURL
		}
	}
	read.VideoCount = shown(c.Statistics.Videos)
	if !c.Statistics.HiddenSubscribers {
		read.SubscriberCount = shown(c.Statistics.Subscribers)
	}
	read.UploadsPlaylistID = known(c.Details.Playlists.Uploads)
	return read
}

// readPlaylist reads a playlist.
func readPlaylist(p *foundPlaylist) video.Playlist {
	read := video.Playlist{PlaylistID: p.ID, ItemCount: shown(p.Details.Items)}
	if s := p.Snippet; s != nil {
		read.Title, read.ChannelID, read.Channel, read.ThumbnailURL = known(s.Title), known(s.ChannelID), known(s.ChannelTitle), picture(s.Thumbnails)
	}
	return read
}
