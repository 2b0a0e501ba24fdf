package follow

import "github.com/transcriptkit/transcriptkit/transcript"

// Follow is a channel, a playlist or a feed that the service checks regularly. The
// service transcribes each new item.
type Follow struct {
	ID       string               `json:"id" format:"uuid"`     // the id
	Kind     Kind                 `json:"kind"`                 // what is followed
	Platform *transcript.Platform `json:"platform"`             // where the channel or the playlist is; nil for a feed
	URL      string               `json:"url" format:"uri"`     // the link to the channel or the playlist, or the address of the feed
	Title    *string              `json:"title"`                // the title; nil until the service has read it
	Language string               `json:"language"`             // the requested list of languages; empty means the default
	MaxItems int                  `json:"maxItems" minimum:"0"` // how many of the items at the start are transcribed
	Status   Status               `json:"status"`               // what to branch on
	// LastLookedAt is the time of the last successful check, and LastNewAt is the time
	// of the last check that found a new item. Each is nil until there is one.
	LastLookedAt *transcript.Time `json:"lastLookedAt"`
	LastNewAt    *transcript.Time `json:"lastNewAt"`
	// LookingSince is when the current check began; nil if no check is running.
	LookingSince *transcript.Time `json:"lookingSince"`
	// EndedAt is when the publisher answered that the feed has ended, which pauses the
	// follow; nil otherwise.
	EndedAt *transcript.Time `json:"endedAt"`
	// LastError is why the last check failed, or why the next item has to wait; nil if
	// neither is so.
	LastError *transcript.LastError `json:"lastError"`
	CreatedAt transcript.Time       `json:"createdAt"` // when the follow was made
	UpdatedAt transcript.Time       `json:"updatedAt"` // when the account last changed the follow
}

// Kind says whether a follow is of a channel, a playlist or a feed.
type Kind string

// The kinds.
const (
	Channel  Kind = "channel"
	Playlist Kind = "playlist"
	Feed     Kind = "feed" // RSS, Atom or JSON Feed at any address
)

// Status is the state of a follow.
type Status string

// The states of a follow.
const (
	Active Status = "active"
	Paused Status = "paused"
	// Failing is an active follow with checks that have failed for two days. The
	// service keeps checking.
	Failing Status = "failing"
)

// Item is an item that the service has found at a followed address.
type Item struct {
	ID string `json:"id"` // the id of the item, unique within the follow
	// Platform and ExternalID name the content, as in the library. Both are nil if the
	// item names no content that the service knows.
	Platform    *transcript.Platform `json:"platform"`
	ExternalID  *string              `json:"externalId"`
	URL         *string              `json:"url" format:"uri"` // the link of the item
	Title       *string              `json:"title"`            // the title, if the feed gives one
	PublishedAt *transcript.Time     `json:"publishedAt"`      // when it was published, according to the feed
	FoundAt     transcript.Time      `json:"foundAt"`          // when the service found the item
	Status      ItemStatus           `json:"status"`           // what to branch on
	// JobID is the job that makes the transcript. It is nil until the item is
	// submitted, and if the text already existed.
	JobID *string `json:"jobId" format:"uuid"`
	// Reason is why the item was skipped, failed or waits.
	Reason *string `json:"reason"`
}

// ItemStatus is the state of an item.
type ItemStatus string

// The states of an item. A submitted item has a job, or its text already existed.
const (
	ItemWaiting   ItemStatus = "waiting"
	ItemSubmitted ItemStatus = "submitted"
	ItemSkipped   ItemStatus = "skipped" // it existed before the follow, or it names no content
	ItemFailed    ItemStatus = "failed"  // the service has refused it permanently
)

// Row is the result for a row of a list of subscriptions.
type Row struct {
	Row     int     `json:"row" minimum:"1"`  // the line of a CSV, or the number of the feed in an OPML file
	URL     string  `json:"url"`              // the address in the row
	Created bool    `json:"created"`          // whether the row has made a new follow
	Follow  *Follow `json:"follow,omitempty"` // the follow; nil next to an error
	// Error is the code of a row that could not be followed, and ErrorMessage is the
	// error in words.
	Error        *transcript.Code `json:"error,omitempty"`
	ErrorMessage string           `json:"errorMessage,omitempty"`
}
