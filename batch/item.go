package batch

import "github.com/transcriptkit/transcriptkit/transcript"

// ItemStatus is the state of an item.
type ItemStatus string

// The states of an item. An item that has failed may be retried; success and skipped
// are final.
const (
	ItemPending    ItemStatus = "pending"
	ItemProcessing ItemStatus = "processing"
	ItemSuccess    ItemStatus = "success"
	ItemFailed     ItemStatus = "failed"
	ItemSkipped    ItemStatus = "skipped" // a duplicate, or its batch was canceled first
)

// Terminal reports whether the item has ended.
func (s ItemStatus) Terminal() bool {
	return s == ItemSuccess || s == ItemFailed || s == ItemSkipped
}

// Item is one content of a batch.
type Item struct {
	ID       string              `json:"id" format:"uuid"` // the item's id, by which it can be retried
	Platform transcript.Platform `json:"platform"`         // where the content is; nil if the entry names no known platform
	// ExternalID is the platform's id of the content. If the entry named no content,
	// ExternalID is the entry as sent, at most 512 characters. For a short link,
	// ExternalID is the link's code until the service has followed the link.
	ExternalID string     `json:"externalId"`
	SourceURL  *string    `json:"sourceUrl" format:"uri"` // the link in its plain form
	Title      string     `json:"title,omitempty"`        // the title of an item that has succeeded, if the platform provides one
	Lang       string     `json:"lang"`                   // the language of the text; until there is a text, the requested list
	Status     ItemStatus `json:"status"`                 // what to branch on
	// TranscriptRef is the id of the transcript of an item that has succeeded.
	TranscriptRef *string `json:"transcriptRef" format:"uuid"`
	// Error is the code of an item that has failed, ErrorMessage is the error in words,
	// and Retryable says whether another attempt may succeed.
	Error        *transcript.Code `json:"error"`
	ErrorMessage string           `json:"errorMessage,omitempty"`
	Retryable    *bool            `json:"retryable,omitempty"`
	Attempts     int              `json:"attempts" minimum:"0"` // how often the service has started the item
}

// Retried is the result of a retry.
type Retried struct {
	Batch   Summary `json:"batch"`               // the current state of the batch
	Retried int     `json:"retried" minimum:"0"` // how many failed items were started again
	// NotRetried are the items that were skipped.
	NotRetried []NotRetried `json:"notRetried"`
}

// NotRetried is an item that a retry has skipped. Reason is the code with which the
// item failed, [AttemptsExhausted] after ten attempts, or NOT_FOUND if the batch has no
// item with this id.
type NotRetried struct {
	ItemID string `json:"itemId" format:"uuid"` // the item that was not retried
	Reason string `json:"reason"`               // why it was not retried
}

// AttemptsExhausted is the [NotRetried].Reason of an item that has been tried too
// often.
const AttemptsExhausted = "ATTEMPTS_EXHAUSTED"
