package video

import "github.com/transcriptkit/transcriptkit/transcript"

// Summary is what a list or a search tells of a video. In a list, one that has been
// removed or is private has an id and nothing else.
type Summary struct {
	VideoID      string           `json:"videoId"`
	Title        *string          `json:"title"`
	ChannelID    *string          `json:"channelId"`
	Channel      *string          `json:"channel"`                 // its title
	DurationSec  *int             `json:"durationSec" minimum:"0"` // seconds, rounded half up
	PublishedAt  *transcript.Time `json:"publishedAt"`
	ThumbnailURL *string          `json:"thumbnailUrl" format:"uri"`
	ViewCount    *int64           `json:"viewCount" minimum:"0"`
	IsLive       *bool            `json:"isLive"`  // it is being broadcast now
	IsShort      *bool            `json:"isShort"` // the site shows it as a short one
	// CaptionAvailable is nil when it is not known, as a search seldom tells.
	CaptionAvailable *bool `json:"captionAvailable"`
}

// Video is a video with its details.
type Video struct {
	Summary
	Description *string  `json:"description"`
	Tags        []string `json:"tags"`
	LikeCount   *int64   `json:"likeCount" minimum:"0"`
	// Languages are the distinct tags of Tracks that are no forced ones: those that can be
	// had without speech recognition.
	Languages           []string               `json:"languages"`
	Tracks              []transcript.Track     `json:"tracks"`
	TrackMetadataStatus transcript.TrackStatus `json:"trackMetadataStatus"` // skipped: the tracks were not asked for
	// MetadataStatus is complete when title, channel and duration are known.
	MetadataStatus transcript.MetadataStatus `json:"metadataStatus"`
}

// Videos are the videos that were asked for by their ids, in the order of the question.
type Videos struct {
	Items []Video `json:"items"`
	// NotFound are the ids that name nothing, or what is private or removed.
	NotFound []string `json:"notFound"`
}

// Channel is a channel.
type Channel struct {
	ChannelID         string  `json:"channelId"`
	Title             *string `json:"title"`
	Handle            *string `json:"handle"` // with its "@"
	Description       *string `json:"description"`
	URL               *string `json:"url" format:"uri"`
	ThumbnailURL      *string `json:"thumbnailUrl" format:"uri"`
	SubscriberCount   *int64  `json:"subscriberCount" minimum:"0"`
	VideoCount        *int64  `json:"videoCount" minimum:"0"`
	UploadsPlaylistID *string `json:"uploadsPlaylistId"` // the playlist of all that it has uploaded
}

// ChannelFound is the answer of GET /v1/video_site/channels.
type ChannelFound struct {
	Channel Channel `json:"channel"`
}

// Playlist is what a search tells of a playlist.
type Playlist struct {
	PlaylistID   string  `json:"playlistId"`
	Title        *string `json:"title"`
	ChannelID    *string `json:"channelId"`
	Channel      *string `json:"channel"` // its title
	ItemCount    *int64  `json:"itemCount" minimum:"0"`
	ThumbnailURL *string `json:"thumbnailUrl" format:"uri"`
}
