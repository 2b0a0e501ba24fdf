package video

// Type says whether a search looks for videos, channels or playlists.
type Type string

// The values of Type.
const (
	TypeVideo    Type = "video"
	TypeChannel  Type = "channel"
	TypePlaylist Type = "playlist"
)

// Types returns all types.
func Types() []Type { return []Type{TypeVideo, TypeChannel, TypePlaylist} }

// Order is the order of the results of a search.
type Order string

// The values of Order.
const (
	ByRelevance Order = "relevance"
	ByDate      Order = "date"  // newest first
	ByViews     Order = "views" // most views first
)

// Orders returns all orders.
func Orders() []Order { return []Order{ByRelevance, ByDate, ByViews} }

// Search describes a search on the video site.
type Search struct {
	Q         string // 1 to 200 characters
	Type      Type   // empty means TypeVideo
	Order     Order  // empty means ByRelevance
	ChannelID string // search only this channel; empty means the whole site
}

// Found is a page of the results of a search.
type Found struct {
	Query         string   `json:"query"`                   // the text of the search
	Type          Type     `json:"type"`                    // what the search looked for
	Items         []Result `json:"items"`                   // the results
	NextPageToken string   `json:"nextPageToken,omitempty"` // the token of the next page; empty on the last page
}

// Result is a result of a search. Only the member that Type names is present.
type Result struct {
	Type     Type      `json:"type"`               // which of the other members is present
	Video    *Summary  `json:"video,omitempty"`    // a video that was found
	Channel  *Channel  `json:"channel,omitempty"`  // a channel that was found
	Playlist *Playlist `json:"playlist,omitempty"` // a playlist that was found
}
