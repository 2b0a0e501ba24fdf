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

// Counts are the items of a batch by their state. [Counts.Skipped] is the number of
// skipped items.
type Counts struct {
	Total   int `json:"total" minimum:"0"`   // all items; 0 until a playlist or channel is listed
	Pending int `json:"pending" minimum:"0"` // items that wait or are being made
	Success int `json:"success" minimum:"0"` // items that have a transcript
	Failed  int `json:"failed" minimum:"0"`  // items that have failed
}

// Skipped is the number of skipped items.
func (n Counts) Skipped() int { return n.Total - n.Pending - n.Success - n.Failed }

// Job is a batch.
type Job struct {
	ID     string `json:"id" format:"uuid"`   // the id, for the routes of the batch
	Mode   Mode   `json:"mode"`               // where its items came from
	Title  string `json:"title,omitempty"`    // of the playlist or channel, once it is known
	Lang   string `json:"lang"`               // the list of languages that was asked for
	Total  int    `json:"total" minimum:"0"`  // how many items it has; 0 until a playlist or channel is listed
	Done   int    `json:"done" minimum:"0"`   // items that have ended: succeeded, failed or skipped
	Failed int    `json:"failed" minimum:"0"` // items that have failed
	Counts Counts `json:"counts"`             // items by how they stand
	Status Status `json:"status"`             // what to branch on
	// LastError is why the batch's list, or one of its items, is tried again or waits: the
	// newest of these errors. It is nil if there is none.
	LastError *transcript.LastError `json:"lastError"`
	// Error is why a playlist or channel could not be listed; nil otherwise.
	Error *transcript.Error `json:"error,omitempty"`
	// ExportRef and ExportMime are the mark and the media type of the last export that
	// was sent to its end; nil before.
	ExportRef  *string         `json:"exportRef"`
	ExportMime *string         `json:"exportMime"`
	CreatedAt  transcript.Time `json:"createdAt"` // when it was accepted
	UpdatedAt  transcript.Time `json:"updatedAt"` // when it or one of its items last changed
}

// Summary is what an answer that changes a batch says of it.
type Summary struct {
	ID        string          `json:"id" format:"uuid"` // the id, for the routes of the batch
	Mode      Mode            `json:"mode"`             // where its items came from
	Status    Status          `json:"status"`           // what to branch on
	Counts    Counts          `json:"counts"`           // items by how they stand
	CreatedAt transcript.Time `json:"createdAt"`        // when it was accepted
}
