package video

// Type is what a search looks for.
type Type string

// The types.
const (
	TypeVideo    Type = "video"
	TypeChannel  Type = "channel"
	TypePlaylist Type = "playlist"
)

// Types are all of them.
func Types() []Type { return []Type{TypeVideo, TypeChannel, TypePlaylist} }

// Order is the order of what is found.
type Order string

// The orders.
const (
	ByRelevance Order = "relevance"
	ByDate      Order = "date"  // newest first
	ByViews     Order = "views" // most often seen first
)

// Orders are all of them.
func Orders() []Order { return []Order{ByRelevance, ByDate, ByViews} }

// Search says what is searched for on the video site.
type Search struct {
	Q         string // 1 to 200 characters
	Type      Type   // empty: TypeVideo
	Order     Order  // empty: ByRelevance
	ChannelID string // only in this channel; empty: everywhere
}

// Found is a page of what a search has found.
type Found struct {
	Query         string   `json:"query"`                   // what was searched for
	Type          Type     `json:"type"`                    // what kind of thing
	Items         []Result `json:"items"`                   // what was found
	NextPageToken string   `json:"nextPageToken,omitempty"` // for the next page; empty: there is no more
}

// Result is one thing found. The member that Type names is there, and no other.
type Result struct {
	Type     Type      `json:"type"`               // which of the other members is there
	Video    *Summary  `json:"video,omitempty"`    // a video that was found
	Channel  *Channel  `json:"channel,omitempty"`  // a channel that was found
	Playlist *Playlist `json:"playlist,omitempty"` // a playlist that was found
}
