package video

// Kind says which of a channel's uploads are listed.
type Kind string

// The values of Kind.
const (
	All     Kind = "all"
	Regular Kind = "video" // neither a short nor a broadcast
	Shorts  Kind = "short"
	Live    Kind = "live" // current and past broadcasts
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{All, Regular, Shorts, Live} }

// Uploads is a page of a channel's uploads, newest first.
type Uploads struct {
	ChannelID     string    `json:"channelId"`               // the site's id of the channel
	Items         []Summary `json:"items"`                   // the videos, newest first
	NextPageToken string    `json:"nextPageToken,omitempty"` // the token of the next page; empty on the last page
}

// Item is an entry of a playlist.
type Item struct {
	Position int `json:"position" minimum:"0"` // its place in the playlist, from 0
	// Available is false for a video that has been removed or is private. Its entry
	// stays, so that the positions do not change.
	Available bool    `json:"available"`
	Video     Summary `json:"video"` // the video
}

// Items is a page of a playlist's entries, in the playlist's order.
type Items struct {
	PlaylistID    string  `json:"playlistId"`              // the site's id of the playlist
	Title         *string `json:"title"`                   // its title; nil when not known
	Items         []Item  `json:"items"`                   // the entries, in the playlist's order
	NextPageToken string  `json:"nextPageToken,omitempty"` // the token of the next page; empty on the last page
}
