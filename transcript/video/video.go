package video

import "github.com/transcriptkit/transcriptkit/transcript"

// Summary is what a list or a search tells of a video. In a list, one that has been
// removed or is private has an id and nothing else.
type Summary struct {
	VideoID      string           `json:"videoId"`                   // the site's id of the video
	Title        *string          `json:"title"`                     // its title; nil when not known
	ChannelID    *string          `json:"channelId"`                 // the site's id of its channel; nil when not known
	Channel      *string          `json:"channel"`                   // the title of its channel; nil when not known
	DurationSec  *int             `json:"durationSec" minimum:"0"`   // its length in seconds, rounded half up; nil when not known
	PublishedAt  *transcript.Time `json:"publishedAt"`               // when it was published; nil when not known
	ThumbnailURL *string          `json:"thumbnailUrl" format:"uri"` // a picture for it; nil when not known
	ViewCount    *int64           `json:"viewCount" minimum:"0"`     // how often it was seen; nil when not known
	IsLive       *bool            `json:"isLive"`                    // whether it is being broadcast now; nil when not known
	IsShort      *bool            `json:"isShort"`                   // whether the site shows it as a short one; nil when not known
	// CaptionAvailable is nil when it is not known, as a search seldom tells, and when there
	// are forced tracks only.
	CaptionAvailable *bool `json:"captionAvailable"`
}

// Video is a video with its details.
type Video struct {
	Summary
	Description *string  `json:"description"`           // what its maker says of it; nil when not known
	Tags        []string `json:"tags"`                  // its maker's tags; empty when not known
	LikeCount   *int64   `json:"likeCount" minimum:"0"` // how many like it; nil when not known
	// Languages are the distinct tags of Tracks that are no forced ones: those that can be
	// had without speech recognition.
	Languages           []string               `json:"languages"`
	Tracks              []transcript.Track     `json:"tracks"`              // all caption tracks
	TrackMetadataStatus transcript.TrackStatus `json:"trackMetadataStatus"` // how the tracks were found out; skipped: they were not asked for
	// MetadataStatus is complete when title, channel and duration are known.
	MetadataStatus transcript.MetadataStatus `json:"metadataStatus"`
}

// Videos are the videos that were asked for by their ids, in the order of the question.
type Videos struct {
	Items []Video `json:"items"` // the videos, in the order of the ids
	// NotFound are the ids that name nothing, or what is private or removed.
	NotFound []string `json:"notFound"`
}

// Channel is a channel.
type Channel struct {
	ChannelID         string  `json:"channelId"`                   // the site's id of the channel
	Title             *string `json:"title"`                       // its title; nil when not known
	Handle            *string `json:"handle"`                      // its handle, with the "@"; nil when not known
	Description       *string `json:"description"`                 // what it says of itself; nil when not known
	URL               *string `json:"url" format:"uri"`            // its page; nil when not known
	ThumbnailURL      *string `json:"thumbnailUrl" format:"uri"`   // a picture for it; nil when not known
	SubscriberCount   *int64  `json:"subscriberCount" minimum:"0"` // how many follow it; nil when not known, or not shown
	VideoCount        *int64  `json:"videoCount" minimum:"0"`      // how many videos it has; nil when not known
	UploadsPlaylistID *string `json:"uploadsPlaylistId"`           // the playlist of all that it has uploaded; nil when not known
}

// ChannelFound is the answer of GET /v1/video_site/channels.
type ChannelFound struct {
	Channel Channel `json:"channel"` // the channel
}

// Playlist is what a search tells of a playlist.
type Playlist struct {
	PlaylistID   string  `json:"playlistId"`                // the site's id of the playlist
	Title        *string `json:"title"`                     // its title; nil when not known
	ChannelID    *string `json:"channelId"`                 // the site's id of its channel; nil when not known
	Channel      *string `json:"channel"`                   // the title of its channel; nil when not known
	ItemCount    *int64  `json:"itemCount" minimum:"0"`     // how many entries it has; nil when not known
	ThumbnailURL *string `json:"thumbnailUrl" format:"uri"` // a picture for it; nil when not known
}
