package library

import "github.com/transcriptkit/transcriptkit/transcript"

// Feed is the Atom feed in which programs without a key read the new texts of an account.
type Feed struct {
	ID        string          `json:"id" format:"uuid"` // stays when the address changes
	CreatedAt transcript.Time `json:"createdAt"`        // when the present address was made
}

// FeedState tells whether an account has a feed.
type FeedState struct {
	Feed *Feed `json:"feed"` // null: the account has none
}

// NewFeed is a feed whose address is new.
type NewFeed struct {
	Feed Feed `json:"feed"` // the feed
	// URL is the address of the feed, from the root of the service. Everybody who has the
	// address can read the feed. The service cannot tell the address again.
	URL string `json:"url" format:"uri-reference"`
}
