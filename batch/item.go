package batch

import "github.com/transcriptkit/transcriptkit/transcript"

// ItemStatus is where an item stands.
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

// Terminal reports whether nothing more is done for the item.
func (s ItemStatus) Terminal() bool {
	return s == ItemSuccess || s == ItemFailed || s == ItemSkipped
}

// Item is one content of a batch.
type Item struct {
	ID       string              `json:"id" format:"uuid"` // the id, which names it when it is to be retried
	Platform transcript.Platform `json:"platform"`         // where the content is; nil where an entry named none that is known
	// ExternalID is the platform's id of the content. If the entry named no content,
	// ExternalID is the entry as sent, at most 512 characters. For a short link,
	// ExternalID is the link's code until the service has followed the link.
	ExternalID string     `json:"externalId"`
	SourceURL  *string    `json:"sourceUrl" format:"uri"` // the link in its plain form
	Title      string     `json:"title,omitempty"`        // of an item that has succeeded, where its platform tells one
	Lang       string     `json:"lang"`                   // the language of the text; before, the list that was asked for
	Status     ItemStatus `json:"status"`                 // what to branch on
	// TranscriptRef is the id of the transcript of an item that has succeeded.
	TranscriptRef *string `json:"transcriptRef" format:"uuid"`
	// Error is the code of an item that has failed, ErrorMessage says the same in
	// words, and Retryable whether another try may succeed.
	Error        *transcript.Code `json:"error"`
	ErrorMessage string           `json:"errorMessage,omitempty"`
	Retryable    *bool            `json:"retryable,omitempty"`
	Attempts     int              `json:"attempts" minimum:"0"` // how often it was taken up
}

// Retried is what a retry has done.
type Retried struct {
	Batch   Summary `json:"batch"`               // the present state of the batch
	Retried int     `json:"retried" minimum:"0"` // how many failed items are made again
	// NotRetried are the failed items that were left as they are.
	NotRetried []NotRetried `json:"notRetried"`
}

// NotRetried is a failed item that was left as it is. Reason is the code with which it
// failed, ATTEMPTS_EXHAUSTED after ten tries, or NOT_FOUND for an id that the batch has
// not.
type NotRetried struct {
	ItemID string `json:"itemId" format:"uuid"` // the item that was left as it is
	Reason string `json:"reason"`               // the code that says why
}

// AttemptsExhausted is the reason why an item that has been tried too often is not
// retried.
const AttemptsExhausted = "ATTEMPTS_EXHAUSTED"
