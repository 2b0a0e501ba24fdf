package video

// Kind says which of a channel's uploads are listed.
type Kind string

// The kinds.
const (
	All     Kind = "all"
	Regular Kind = "video" // neither short nor live
	Shorts  Kind = "short"
	Live    Kind = "live" // what is or was broadcast
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{All, Regular, Shorts, Live} }

// Uploads is a page of what a channel has uploaded, newest first.
type Uploads struct {
	ChannelID     string    `json:"channelId"`               // the site's id of the channel
	Items         []Summary `json:"items"`                   // the videos, newest first
	NextPageToken string    `json:"nextPageToken,omitempty"` // for the next page; empty: there is no more
}

// Item is an entry of a playlist.
type Item struct {
	Position int `json:"position" minimum:"0"` // its place in the playlist, from 0
	// Available is false for a video that has been removed or is private: the entry stays,
	// so that positions hold.
	Available bool    `json:"available"`
	Video     Summary `json:"video"` // the video
}

// Items is a page of the entries of a playlist, in its own order.
type Items struct {
	PlaylistID    string  `json:"playlistId"`              // the site's id of the playlist
	Title         *string `json:"title"`                   // its title; nil when not known
	Items         []Item  `json:"items"`                   // its entries, in their own order
	NextPageToken string  `json:"nextPageToken,omitempty"` // for the next page; empty: there is no more
}
