package follow

import "github.com/transcriptkit/transcriptkit/transcript"

// Follow is a channel, a playlist or a feed that the service looks at. Each item that
// appears there becomes a transcript.
type Follow struct {
	ID       string               `json:"id" format:"uuid"`     // the id
	Kind     Kind                 `json:"kind"`                 // what is followed
	Platform *transcript.Platform `json:"platform"`             // where the channel or the playlist is; nil for a feed
	URL      string               `json:"url" format:"uri"`     // the link to the channel or the playlist, or the address of the feed
	Title    *string              `json:"title"`                // the title; nil until the service has read it
	Language string               `json:"language"`             // the list that was asked for; empty: the default
	MaxItems int                  `json:"maxItems" minimum:"0"` // how many of the first items become transcripts
	Status   Status               `json:"status"`               // what to branch on
	// LastLookedAt is the time of the last look that succeeded, and LastNewAt of the last
	// look that found a new item. Both are nil before the first one.
	LastLookedAt *transcript.Time `json:"lastLookedAt"`
	LastNewAt    *transcript.Time `json:"lastNewAt"`
	// LookingSince is the time at which the look that is under way began; nil: none is.
	LookingSince *transcript.Time `json:"lookingSince"`
	// EndedAt is when the publisher answered that the feed has ended, which has paused the
	// follow; nil: it has not.
	EndedAt *transcript.Time `json:"endedAt"`
	// LastError is why the last look failed, or why the next item has to wait; nil:
	// nothing fails.
	LastError *transcript.LastError `json:"lastError"`
	CreatedAt transcript.Time       `json:"createdAt"` // when the follow was made
	UpdatedAt transcript.Time       `json:"updatedAt"` // when the account changed the follow last
}

// Kind is what a follow looks at.
type Kind string

// The kinds.
const (
	Channel  Kind = "channel"
	Playlist Kind = "playlist"
	Feed     Kind = "feed" // RSS, Atom or JSON Feed at any address
)

// Status is where a follow stands.
type Status string

// The states of a follow.
const (
	Active Status = "active"
	Paused Status = "paused"
	// Failing is an active follow that the service has failed to look at for two
	// days. The service goes on trying.
	Failing Status = "failing"
)

// Item is an item of a follow.
type Item struct {
	ID string `json:"id"` // the id within the follow
	// Platform and ExternalID name the content as the library does; nil if the item names
	// no content that the service knows.
	Platform    *transcript.Platform `json:"platform"`
	ExternalID  *string              `json:"externalId"`
	URL         *string              `json:"url" format:"uri"` // the link of the item
	Title       *string              `json:"title"`            // the title, if the feed gives one
	PublishedAt *transcript.Time     `json:"publishedAt"`      // as the feed says
	FoundAt     transcript.Time      `json:"foundAt"`          // when the service found the item
	Status      ItemStatus           `json:"status"`           // what to branch on
	// JobID is the job that makes the transcript. It is nil before the item is submitted,
	// and if the text was there already.
	JobID *string `json:"jobId" format:"uuid"`
	// Reason is why the item is skipped or has failed, or what it waits for.
	Reason *string `json:"reason"`
}

// ItemStatus is where an item of a follow stands.
type ItemStatus string

// The states of an item. A submitted item has a job, or its text was there already.
const (
	ItemWaiting   ItemStatus = "waiting"
	ItemSubmitted ItemStatus = "submitted"
	ItemSkipped   ItemStatus = "skipped" // it was there before the follow, or it names nothing
	ItemFailed    ItemStatus = "failed"  // the service has refused it for good
)

// Row is what became of a row of a list of subscriptions.
type Row struct {
	Row     int     `json:"row" minimum:"1"`  // the line of a CSV, or the number of the feed in an OPML file
	URL     string  `json:"url"`              // the address in the row
	Created bool    `json:"created"`          // the row has made a follow
	Follow  *Follow `json:"follow,omitempty"` // the follow; nil next to an error
	// Error is the code of a row that made no follow, and ErrorMessage says the same in
	// words.
	Error        *transcript.Code `json:"error,omitempty"`
	ErrorMessage string           `json:"errorMessage,omitempty"`
}
