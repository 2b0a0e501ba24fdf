package page

import (
	"net/url"
	"strconv"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// libraryRow is a row of the library on its page.
type libraryRow struct {
	library.Item
	Back string // the page that it is on
	Cure string // what can be done where the work has failed
}

// Path is the row in the API, without /v1; also where its star is set.
func (r libraryRow) Path() string {
	return "/library/transcripts/" + url.PathEscape(string(r.Platform)) + "/" + url.PathEscape(r.ExternalID)
}

// Language is the query that names the row's language.
func (r libraryRow) Language() string { return "?language=" + url.QueryEscape(r.Lang) }

// URL is the page of what the row stands for; empty where there is none any more.
func (r libraryRow) URL() string {
	switch {
	case r.Kind == library.KindBatch:
		return "/batches/" + url.PathEscape(r.BatchID)
	case r.Kind == library.KindTranscript:
		return pathOf(r.Platform, r.ExternalID, r.Lang)
	case r.JobID != "":
		return "/jobs/" + url.PathEscape(r.JobID)
	}
	return ""
}

// Name is the title, or what else the row is known by.
func (r libraryRow) Name() string {
	switch {
	case r.Title != nil && *r.Title != "":
		return *r.Title
	case r.SourceURL != nil:
		return *r.SourceURL
	case r.Kind == library.KindBatch:
		return ""
	}
	return r.ExternalID
}

// Busy reports whether the row is on its way.
func (r libraryRow) Busy() bool {
	return r.Kind == library.KindPending || r.Kind == library.KindBatch && !batch.Status(r.BatchStatus).Terminal()
}

// Delete is what DELETE is sent to; empty for a batch that still runs.
func (r libraryRow) Delete() string {
	switch {
	case r.Kind == library.KindFailed: // alone: there may be a text in the same language
		return "/v1" + r.Path() + "?row=" + url.QueryEscape(r.ID)
	case r.Kind != library.KindBatch:
		return "/v1" + r.Path() + r.Language()
	case r.Busy():
		return ""
	}
	return "/v1/batch/" + url.PathEscape(r.BatchID)
}

// State changes when the row has to be shown anew.
func (r libraryRow) State() string {
	state := string(r.Kind) + " " + r.JobID + r.BatchStatus
	if r.ItemCount != nil {
		state += " " + strconv.Itoa(*r.ItemCount)
	}
	if r.FailedCount != nil {
		state += " " + strconv.Itoa(*r.FailedCount)
	}
	return state
}

// Made is what made the text; empty while there is none.
func (r libraryRow) Made() transcript.Origin {
	if r.Source == nil {
		return ""
	}
	return *r.Source
}

// count is a number of the row as those who show it want it; 0 where it is not known.
func count(n *int) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}

// Items, Failed and Spoken are how many items a batch has, how many of them have failed,
// and how many words a text has.
func (r libraryRow) Items() int64  { return count(r.ItemCount) }
func (r libraryRow) Failed() int64 { return count(r.FailedCount) }
func (r libraryRow) Spoken() int64 { return int64(r.Words) }
