package video

import "github.com/transcriptkit/transcriptkit/transcript"

// Summary describes a video in a list or in the results of a search. In a list, a
// removed or private video has only an id.
type Summary struct {
	VideoID      string           `json:"videoId"`                   // the site's id of the video
	Title        *string          `json:"title"`                     // its title; nil when not known
	ChannelID    *string          `json:"channelId"`                 // the site's id of its channel; nil when not known
	Channel      *string          `json:"channel"`                   // the title of its channel; nil when not known
	DurationSec  *int             `json:"durationSec" minimum:"0"`   // its length in seconds, rounded half up; nil when not known
	PublishedAt  *transcript.Time `json:"publishedAt"`               // when it was published; nil when not known
	ThumbnailURL *string          `json:"thumbnailUrl" format:"uri"` // a picture for it; nil when not known
	ViewCount    *int64           `json:"viewCount" minimum:"0"`     // how many views it has; nil when not known
	IsLive       *bool            `json:"isLive"`                    // whether it is being broadcast now; nil when not known
	IsShort      *bool            `json:"isShort"`                   // whether the site shows it as a short; nil when not known
	// CaptionAvailable is nil when it is not known, as in most searches, and when there
	// are only forced tracks.
	CaptionAvailable *bool `json:"captionAvailable"`
}

// Video is a video with its details.
type Video struct {
	Summary
	Description *string  `json:"description"`           // the creator's description; nil when not known
	Tags        []string `json:"tags"`                  // the creator's tags; empty when not known
	LikeCount   *int64   `json:"likeCount" minimum:"0"` // how many likes it has; nil when not known
	// Languages are the language tags of Tracks, without forced tracks: the languages
	// that are available without speech recognition.
	Languages           []string               `json:"languages"`
	Tracks              []transcript.Track     `json:"tracks"`              // all caption tracks
	TrackMetadataStatus transcript.TrackStatus `json:"trackMetadataStatus"` // whether the platform named its tracks; skipped if the tracks were not requested
	// MetadataStatus is complete when title, channel and duration are known.
	MetadataStatus transcript.MetadataStatus `json:"metadataStatus"`
}

// Videos are the requested videos, in the order of the request.
type Videos struct {
	Items []Video `json:"items"` // the videos, in the order of the ids
	// NotFound are the ids of videos that do not exist, are private or were removed.
	NotFound []string `json:"notFound"`
}

// Channel describes a channel of the video site.
type Channel struct {
	ChannelID         string  `json:"channelId"`                   // the site's id of the channel
	Title             *string `json:"title"`                       // its title; nil when not known
	Handle            *string `json:"handle"`                      // its handle, with the "@"; nil when not known
	Description       *string `json:"description"`                 // the channel's own description; nil when not known
	URL               *string `json:"url" format:"uri"`            // its page; nil when not known
	ThumbnailURL      *string `json:"thumbnailUrl" format:"uri"`   // a picture for it; nil when not known
	SubscriberCount   *int64  `json:"subscriberCount" minimum:"0"` // how many subscribers it has; nil when not known or not shown
	VideoCount        *int64  `json:"videoCount" minimum:"0"`      // how many videos it has; nil when not known
	UploadsPlaylistID *string `json:"uploadsPlaylistId"`           // the playlist of all uploads; nil when not known
}

// ChannelFound is the answer of GET /v1/video_site/channels.
type ChannelFound struct {
	Channel Channel `json:"channel"` // the channel
}

// Playlist describes a playlist in the results of a search.
type Playlist struct {
	PlaylistID   string  `json:"playlistId"`                // the site's id of the playlist
	Title        *string `json:"title"`                     // its title; nil when not known
	ChannelID    *string `json:"channelId"`                 // the site's id of its channel; nil when not known
	Channel      *string `json:"channel"`                   // the title of its channel; nil when not known
	ItemCount    *int64  `json:"itemCount" minimum:"0"`     // how many entries it has; nil when not known
	ThumbnailURL *string `json:"thumbnailUrl" format:"uri"` // a picture for it; nil when not known
}
