package batch

import "github.com/transcriptkit/transcriptkit/transcript"

// Mode is what a batch was made from.
type Mode string

// The modes.
const (
	Links    Mode = "batch" // a list of links
	Playlist Mode = "playlist"
	Channel  Mode = "channel"
)

// Status is where a batch stands.
type Status string

// The states of a batch. The last three are terminal; a retry of items leads back
// from completed and failed.
const (
	Pending    Status = "pending" // no item has been taken yet
	Processing Status = "processing"
	Completed  Status = "completed" // an item succeeded, or none failed
	Failed     Status = "failed"    // its items could not be listed, or none succeeded
	Cancelled  Status = "cancelled"
)

// Terminal reports whether nothing more is done for the batch.
func (s Status) Terminal() bool { return s == Completed || s == Failed || s == Cancelled }

// Counts are the items of a batch by how they stand. What is skipped is the rest:
// Total - Pending - Success - Failed.
type Counts struct {
	Total   int `json:"total" minimum:"0"`
	Pending int `json:"pending" minimum:"0"` // and processing
	Success int `json:"success" minimum:"0"`
	Failed  int `json:"failed" minimum:"0"`
}

// Job is a batch.
type Job struct {
	ID     string `json:"id" format:"uuid"`
	Mode   Mode   `json:"mode"`
	Lang   string `json:"lang"`               // the list of languages that was asked for
	Total  int    `json:"total" minimum:"0"`  // items; 0 until a playlist or channel is listed
	Done   int    `json:"done" minimum:"0"`   // items that have ended: succeeded, failed or skipped
	Failed int    `json:"failed" minimum:"0"` // items that have failed
	Counts Counts `json:"counts"`
	Status Status `json:"status"`
	// Error is why a playlist or channel could not be listed; nil otherwise.
	Error *transcript.Error `json:"error,omitempty"`
	// ExportRef and ExportMime are the mark and the media type of the last export that
	// was sent to its end; nil before.
	ExportRef  *string         `json:"exportRef"`
	ExportMime *string         `json:"exportMime"`
	CreatedAt  transcript.Time `json:"createdAt"`
	UpdatedAt  transcript.Time `json:"updatedAt"`
}

// Summary is what an answer that changes a batch says of it.
type Summary struct {
	ID        string          `json:"id" format:"uuid"`
	Mode      Mode            `json:"mode"`
	Status    Status          `json:"status"`
	Counts    Counts          `json:"counts"`
	CreatedAt transcript.Time `json:"createdAt"`
}

// Summary is what an answer that changes the batch says of it.
func (j *Job) Summary() Summary {
	return Summary{ID: j.ID, Mode: j.Mode, Status: j.Status, Counts: j.Counts, CreatedAt: j.CreatedAt}
}
