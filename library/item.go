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
	Kind       Kind                `json:"kind"`
	ID         string              `json:"id" format:"uuid"` // the row's own; it stays when a text takes the place of work
	BatchID    string              `json:"batchId,omitempty" format:"uuid"`
	JobID      string              `json:"jobId,omitempty" format:"uuid"`
	JobStatus  string              `json:"jobStatus,omitempty" enum:"pending,processing,failed"`
	Platform   transcript.Platform `json:"platform"`
	ExternalID string              `json:"externalId"` // of a batch its id
	SourceURL  *string             `json:"sourceUrl" format:"uri"`
	// Lang is the language of the text; while there is none the first that was asked
	// for, "und" for one that is to be detected.
	Lang         string             `json:"lang"`
	Title        *string            `json:"title"`
	Channel      *string            `json:"channel"`
	ThumbnailURL *string            `json:"thumbnailUrl" format:"uri"`
	Source       *transcript.Origin `json:"source"`
	ItemCount    *int               `json:"itemCount,omitempty" minimum:"0"`
	BatchStatus  string             `json:"batchStatus,omitempty"`
	FailedCount  *int               `json:"failedCount,omitempty" minimum:"0"`
	ErrorCode    *transcript.Code   `json:"errorCode"` // of what has failed
	Words        int                `json:"words" minimum:"0"`
	DurationSec  *float64           `json:"durationSec" minimum:"0"`
	Starred      bool               `json:"starred"`
	CreatedAt    transcript.Time    `json:"createdAt"`
}

// Key names a saved transcript.
type Key struct {
	Platform   transcript.Platform
	ExternalID string
	Language   string // an exact tag; empty: the latest, or all where something is removed
}

// Include is what a saved transcript is read with beyond the usual.
type Include string

// Words are the words of segments with their times, where there are any.
const Words Include = "words"

// Saved is a saved transcript.
type Saved struct {
	Transcript transcript.Transcript `json:"transcript"`
	Cached     bool                  `json:"cached"` // true: nothing was done to make it
}
