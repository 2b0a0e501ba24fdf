package batch

import "github.com/transcriptkit/transcriptkit/transcript"

// Mode says whether a batch was made from links, a playlist or a channel.
type Mode string

// The modes.
const (
	Links    Mode = "batch" // a list of links
	Playlist Mode = "playlist"
	Channel  Mode = "channel"
)

// Status is the state of a batch.
type Status string

// The states of a batch. The last three are terminal. A retry makes a completed or
// failed batch run again.
const (
	Pending    Status = "pending" // no item has started yet
	Processing Status = "processing"
	Completed  Status = "completed" // an item succeeded, or none failed
	Failed     Status = "failed"    // its items could not be listed, or none succeeded
	Cancelled  Status = "cancelled"
)

// Terminal reports whether the batch has ended.
func (s Status) Terminal() bool { return s == Completed || s == Failed || s == Cancelled }

// Counts has the number of a batch's items in each state. For skipped items, call
// [Counts.Skipped].
type Counts struct {
	Total   int `json:"total" minimum:"0"`   // all items; 0 until a playlist or channel is listed
	Pending int `json:"pending" minimum:"0"` // items that wait or are being made
	Success int `json:"success" minimum:"0"` // items that have a transcript
	Failed  int `json:"failed" minimum:"0"`  // items that have failed
}

// Skipped returns the number of skipped items.
func (n Counts) Skipped() int { return n.Total - n.Pending - n.Success - n.Failed }

// Job is the state of a batch.
type Job struct {
	ID     string `json:"id" format:"uuid"`   // the id, for the routes of the batch
	Mode   Mode   `json:"mode"`               // how the batch was made
	Title  string `json:"title,omitempty"`    // the title of the playlist or channel, once it is known
	Lang   string `json:"lang"`               // the requested list of languages
	Total  int    `json:"total" minimum:"0"`  // how many items it has; 0 until a playlist or channel is listed
	Done   int    `json:"done" minimum:"0"`   // items that have ended: succeeded, failed or skipped
	Failed int    `json:"failed" minimum:"0"` // items that have failed
	Counts Counts `json:"counts"`             // the number of items in each state
	Status Status `json:"status"`             // what to branch on
	// LastError is the latest reason why the service retries the batch's list or an
	// item, or why one of them waits. It is nil if there is none.
	LastError *transcript.LastError `json:"lastError"`
	// Error is why a playlist or channel could not be listed; nil otherwise.
	Error *transcript.Error `json:"error,omitempty"`
	// ExportRef and ExportMime are the entity tag and the media type of the last export
	// that was downloaded completely; nil if there is none.
	ExportRef  *string         `json:"exportRef"`
	ExportMime *string         `json:"exportMime"`
	CreatedAt  transcript.Time `json:"createdAt"` // when it was accepted
	UpdatedAt  transcript.Time `json:"updatedAt"` // when it or one of its items last changed
}

// Summary is the state of a batch in the answers of requests that create, change or
// retry it.
type Summary struct {
	ID        string          `json:"id" format:"uuid"` // the id, for the routes of the batch
	Mode      Mode            `json:"mode"`             // how the batch was made
	Status    Status          `json:"status"`           // what to branch on
	Counts    Counts          `json:"counts"`           // the number of items in each state
	CreatedAt transcript.Time `json:"createdAt"`        // when it was accepted
}
