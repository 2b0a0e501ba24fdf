package text

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// libraryRow is a row of the library on its page.
type libraryRow struct {
	library.Item
	Asked libraryAsked // the view with the row
	Cure  string       // what a visitor can do after a failure

	Stage   transcript.Stage // of running work; empty: not known
	Percent int              // of the recognition; -1: not known
}

// Back returns the page with the row.
func (r libraryRow) Back() string { return r.Asked.URL() }

// Path returns the row's path in the API, without /v1; the star is set there too.
func (r libraryRow) Path() string {
	return "/library/transcripts/" + url.PathEscape(string(r.Platform)) + "/" + url.PathEscape(r.ExternalID)
}

// Language returns the query with the row's language.
func (r libraryRow) Language() string { return "?language=" + url.QueryEscape(r.Lang) }

// URL returns the page of the row's subject; empty if it no longer exists.
func (r libraryRow) URL() string {
	switch {
	case r.Kind == library.KindBatch:
		return "/batches/" + url.PathEscape(r.BatchID)
	case r.Kind == library.KindTranscript:
		return web.TextPath(r.Platform, r.ExternalID, r.Lang)
	case r.JobID != "":
		return "/jobs/" + url.PathEscape(r.JobID)
	}
	return ""
}

// Name returns the title, or another name of the row.
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

// TagList returns the tags as a visitor writes them.
func (r libraryRow) TagList() string { return strings.Join(r.Tags, ", ") }

// Busy reports whether the row is still in progress.
func (r libraryRow) Busy() bool {
	return r.Kind == library.KindPending || r.Kind == library.KindBatch && !batch.Status(r.BatchStatus).Terminal()
}

// Delete returns the path for a DELETE request; empty for a running batch.
func (r libraryRow) Delete() string {
	switch {
	case r.Kind == library.KindFailed: // by its id: there may be a text in the same language
		return "/v1" + r.Path() + "?row=" + url.QueryEscape(r.ID)
	case r.Kind != library.KindBatch:
		return "/v1" + r.Path() + r.Language()
	case r.Busy():
		return ""
	}
	return "/v1/batch/" + url.PathEscape(r.BatchID)
}

// State returns a text that changes when the row must be shown again.
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

// Made returns the origin of the text; empty if there is none yet.
func (r libraryRow) Made() transcript.Origin {
	if r.Source == nil {
		return ""
	}
	return *r.Source
}

// count converts a number of the row for display; 0 if not known.
func count(n *int) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}

// Items and Failed count the items and the failed items of a batch, and Spoken the words of a
// text.
func (r libraryRow) Items() int64  { return count(r.ItemCount) }
func (r libraryRow) Failed() int64 { return count(r.FailedCount) }
func (r libraryRow) Spoken() int64 { return int64(r.Words) }
