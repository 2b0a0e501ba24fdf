package library

import "github.com/transcriptkit/transcriptkit/transcript"

// Kind says what a row of the library is.
type Kind string

// The kinds.
const (
	KindTranscript Kind = "transcript" // a saved text
	KindPending    Kind = "pending"    // running work: JobID, JobStatus
	KindFailed     Kind = "failed"     // work that has failed: ErrorCode
	KindBatch      Kind = "batch"      // a batch: BatchID, BatchStatus, ItemCount, FailedCount
)

// Item is a row of the library.
type Item struct {
	Kind       Kind                `json:"kind"`                                                 // what kind of row this is
	ID         string              `json:"id" format:"uuid"`                                     // the id of the row, which stays the same when a text replaces running work
	BatchID    string              `json:"batchId,omitempty" format:"uuid"`                      // the batch, or the batch to which the work belongs
	JobID      string              `json:"jobId,omitempty" format:"uuid"`                        // the job of running or failed work
	JobStatus  string              `json:"jobStatus,omitempty" enum:"pending,processing,failed"` // the state of the work
	Platform   transcript.Platform `json:"platform"`                                             // where the content is
	ExternalID string              `json:"externalId"`                                           // the platform's own id of the content; for a batch, its id
	SourceURL  *string             `json:"sourceUrl" format:"uri"`                               // the link in its plain form; nil if there is none
	// Lang is the language of the text. Without a text, Lang is the first requested
	// language, or "und" if the language is to be detected.
	Lang         string             `json:"lang"`
	Title        *string            `json:"title"`                             // the account's own title, or else the title that is known, or else the first line of the text; nil if there is none
	Tags         []string           `json:"tags"`                              // the account's tags of the content
	Channel      *string            `json:"channel"`                           // the name of its channel; nil when not known
	ThumbnailURL *string            `json:"thumbnailUrl" format:"uri"`         // the address of a picture; nil when not known
	Source       *transcript.Origin `json:"source"`                            // how the text was made; nil if there is none
	ItemCount    *int               `json:"itemCount,omitempty" minimum:"0"`   // items of the batch
	BatchStatus  string             `json:"batchStatus,omitempty"`             // the state of the batch
	FailedCount  *int               `json:"failedCount,omitempty" minimum:"0"` // items of the batch that have failed
	ErrorCode    *transcript.Code   `json:"errorCode"`                         // why the work failed; nil if it did not fail
	Words        int                `json:"words" minimum:"0"`                 // words of the text; 0 if there is none
	DurationSec  *float64           `json:"durationSec" minimum:"0"`           // the length of the media in seconds; nil when not known
	Revision     int                `json:"revision,omitempty" minimum:"1"`    // grows with each change of the text; 0 if there is no text
	Starred      bool               `json:"starred"`                           // whether the account has starred it
	CreatedAt    transcript.Time    `json:"createdAt"`                         // when the text was saved, or the work requested
}

// Key names a saved transcript, or several in different languages.
type Key struct {
	Platform   transcript.Platform
	ExternalID string
	Language   string // an exact tag; empty means the latest text, or all texts in calls that change or remove
	// Row is the ID of a single row, such as a failed row next to a saved text of the
	// same language. If Row is empty, the Key names all rows with its other fields.
	// Only calls that change or remove rows use Row.
	Row string
}

// Include names an optional part of a saved transcript.
type Include string

// Words includes the words of each segment with their times, if there are any.
const Words Include = "words"

// Saved is a saved transcript.
type Saved struct {
	Transcript transcript.Transcript `json:"transcript"` // the transcript, with all that is known about the content
	Cached     bool                  `json:"cached"`     // whether the text comes from the cache
	// Revision is 1 at first, and grows with each change of the text: a correction, an
	// import, and a shared text that is made again. Pass it to calls that change the
	// text.
	Revision   int                    `json:"revision" minimum:"1"`
	Recognizer *transcript.Recognizer `json:"recognizer,omitempty"` // the recognizer that produced the text, or most of it; nil if the text was not recognized
}
