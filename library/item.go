package library

import "github.com/transcriptkit/transcriptkit/transcript"

// Kind says what a row of the library is.
type Kind string

// The kinds.
const (
	KindTranscript Kind = "transcript" // a saved text
	KindPending    Kind = "pending"    // work on its way: JobID, JobStatus
	KindFailed     Kind = "failed"     // work that has failed: ErrorCode
	KindBatch      Kind = "batch"      // a batch: BatchID, BatchStatus, ItemCount, FailedCount
)

// Item is a row of the library.
type Item struct {
	Kind       Kind                `json:"kind"`                                                 // what the row is
	ID         string              `json:"id" format:"uuid"`                                     // the row's own; it stays when a text takes the place of work
	BatchID    string              `json:"batchId,omitempty" format:"uuid"`                      // the id of a batch, or of the batch that the work is for
	JobID      string              `json:"jobId,omitempty" format:"uuid"`                        // the job of work that goes on or has failed
	JobStatus  string              `json:"jobStatus,omitempty" enum:"pending,processing,failed"` // how the work stands
	Platform   transcript.Platform `json:"platform"`                                             // where the content is
	ExternalID string              `json:"externalId"`                                           // the platform's own id of the content; of a batch its id
	SourceURL  *string             `json:"sourceUrl" format:"uri"`                               // the link in its plain form; nil where there is none
	// Lang is the language of the text. Without a text, Lang is the first requested
	// language, or "und" if the language is to be detected.
	Lang         string             `json:"lang"`
	Title        *string            `json:"title"`                             // its title; nil when not known
	Channel      *string            `json:"channel"`                           // the channel that it is on; nil when not known
	ThumbnailURL *string            `json:"thumbnailUrl" format:"uri"`         // a picture for the content; nil when not known
	Source       *transcript.Origin `json:"source"`                            // what made the text; nil while there is none
	ItemCount    *int               `json:"itemCount,omitempty" minimum:"0"`   // items of the batch
	BatchStatus  string             `json:"batchStatus,omitempty"`             // how the batch stands
	FailedCount  *int               `json:"failedCount,omitempty" minimum:"0"` // items of the batch that have failed
	ErrorCode    *transcript.Code   `json:"errorCode"`                         // why it has failed; nil where it has not
	Words        int                `json:"words" minimum:"0"`                 // words of the text; 0 while there is none
	DurationSec  *float64           `json:"durationSec" minimum:"0"`           // the length of the media in seconds; nil when not known
	Revision     int                `json:"revision,omitempty" minimum:"1"`    // grows with each other text of the row; 0 while there is no text
	Starred      bool               `json:"starred"`                           // whether the account gave it a star
	CreatedAt    transcript.Time    `json:"createdAt"`                         // when it was saved, or asked for
}

// Key names a saved transcript.
type Key struct {
	Platform   transcript.Platform
	ExternalID string
	Language   string // an exact tag; empty: the latest, or all where something is changed or removed
	// Row is the ID of a single row, such as a failed row next to a saved text of the
	// same language. If Row is empty, the Key names all rows with its other fields.
	// Only calls that change or remove rows use Row.
	Row string
}

// Include is what a saved transcript is read with beyond the usual.
type Include string

// Words are the words of segments with their times, where there are any.
const Words Include = "words"

// Saved is a saved transcript.
type Saved struct {
	Transcript transcript.Transcript `json:"transcript"` // the transcript, with all that is known about the content
	Cached     bool                  `json:"cached"`     // whether nothing was done to make it
	// Revision is 1 at first and grows with each other text: with a correction, an import, and
	// a shared text that is made again. A change of the text names the revision that it is
	// made of.
	Revision   int                    `json:"revision" minimum:"1"`
	Recognizer *transcript.Recognizer `json:"recognizer,omitempty"` // what has heard the text, of several what has heard most of it; nil where none was recognized
}
