package library

import "github.com/transcriptkit/transcriptkit/transcript"

// Feed describes an account's Atom feed. Programs read the account's new texts in the
// feed without a key.
type Feed struct {
	ID        string          `json:"id" format:"uuid"` // the feed's id, which stays the same when the address changes
	CreatedAt transcript.Time `json:"createdAt"`        // when the current address was made
}

// FeedState says whether an account has a feed.
type FeedState struct {
	Feed *Feed `json:"feed"` // the feed; nil if the account has none
}

// NewFeed is a feed with its new address.
type NewFeed struct {
	Feed Feed `json:"feed"` // the feed
	// URL is the path of the feed on the service. Everyone who has it can read the
	// feed. The service cannot return it again.
	URL string `json:"url" format:"uri-reference"`
}
