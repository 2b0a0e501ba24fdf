package text

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// libraryAsked is a request for a view of the library, as in the URL.
type libraryAsked struct {
	library.Query
	Said bool   // whether Q is searched in texts rather than in titles
	From string // the token of a page of search results in texts; empty: the first
}

// said is the value of "in" for a search in texts.
const said = "said"

func libraryAskedBy(q url.Values) libraryAsked {
	page, _ := strconv.Atoi(q.Get("page")) // a value that is no number means the first page
	return libraryAsked{
		Query: library.Query{
			View: library.View(q.Get("view")), Q: q.Get("q"), Platform: library.PlatformFilter(q.Get("platform")),
			Lang: q.Get("lang"), Sort: library.Sort(q.Get("sort")), Page: max(page, 1),
		},
		Said: q.Get("in") == said,
		From: q.Get("from"),
	}
}

// URL returns the URL of the view. It leaves out default values.
func (a libraryAsked) URL() string {
	in, page := "", ""
	if a.Said {
		in = said
	}
	if a.Page > 1 {
		page = strconv.Itoa(a.Page)
	}
	return web.WithQuery("/library", "view", string(a.View), "q", a.Q, "in", in,
		"platform", string(a.Platform), "lang", a.Lang, "sort", string(a.Sort), "page", page, "from", a.From)
}

// filter is a field of a form that selects a view.
type filter struct{ Name, Value string }

// Filters returns the fields of a form for the rows of the view on all pages.
func (a libraryAsked) Filters() (fields []filter) {
	for _, f := range []filter{{"view", string(a.View)}, {"q", a.Q}, {"platform", string(a.Platform)}, {"lang", a.Lang}, {"sort", string(a.Sort)}} {
		if f.Value != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// At returns another page of the same view.
func (a libraryAsked) At(page int) libraryAsked { a.Page = page; return a }

// After returns another page of a search in texts.
func (a libraryAsked) After(token string) libraryAsked { a.From = token; return a }

// InSaid returns a search for the same words in texts.
func (a libraryAsked) InSaid() libraryAsked {
	return libraryAsked{Query: library.Query{Q: a.Q}, Said: true}
}

// InTitles returns a search for the same words in titles.
func (a libraryAsked) InTitles() libraryAsked {
	return libraryAsked{Query: library.Query{Q: a.Q}}
}

// Filtered reports whether the library may have rows outside the view.
func (a libraryAsked) Filtered() bool {
	return a.View == library.Starred || a.Q != "" || a.Platform != "" || a.Lang != ""
}

// libraryPage is the content of the library's page.
type libraryPage struct {
	Asked   libraryAsked
	Langs   []string // of all texts
	Trouble string   // why there are no rows; empty: there are

	Rows            []libraryRow
	Total, From, To int64 // rows on all pages, and the range on this page, from 1
	Pages           int
	Found           []libraryMatch // results of a search in texts
	NextFound       string         // the token of their next page
	Busy            bool           // whether a row is still in progress
}

// Previous and Next are the numbers of the neighboring pages.
func (s libraryPage) Previous() int { return min(s.Asked.Page-1, s.Pages) }
func (s libraryPage) Next() int     { return s.Asked.Page + 1 }

// Views, Sorts and Platforms are the values to choose from.
func (libraryPage) Views() []library.View { return library.Views() }
func (libraryPage) Sorts() []library.Sort { return library.Sorts() }
func (s libraryPage) Platforms() []library.PlatformFilter {
	all := library.PlatformFilters()
	if s.Asked.Said { // batches have no texts to search in
		all = all[:0:0]
		for _, p := range transcript.Platforms() {
			all = append(all, library.PlatformFilter(p))
		}
	}
	return all
}

// shelf is the library of all texts.
type shelf struct{ *web.Site }

// show shows a visitor's library, or the results of a search in its texts.
func (p shelf) show(r *web.Request) error {
	shown := libraryPage{Asked: libraryAskedBy(r.URL.Query())}
	status := http.StatusOK
	if err := p.fill(r, &shown); err != nil {
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Code != transcript.InvalidRequest {
			return err
		}
		status, shown.Trouble = http.StatusBadRequest, r.Sentence(refused.Code, refused.Details)
	}
	return r.Show(status, "library", shown)
}

func (p shelf) fill(r *web.Request, shown *libraryPage) error {
	if shown.Asked.Said {
		return p.fillSaid(r.Context(), shown)
	}
	page, err := p.API.Library.List(r.Context(), shown.Asked.Query)
	if err != nil {
		return err
	}
	shown.Langs, shown.Total = page.Langs, int64(page.Total)
	shown.Pages = (page.Total + page.PageSize - 1) / page.PageSize
	shown.From = int64(page.Page-1)*int64(page.PageSize) + 1
	shown.To = shown.From + int64(len(page.Transcripts)) - 1
	for _, item := range page.Transcripts {
		row := libraryRow{Item: item, Back: shown.Asked.URL()}
		if item.ErrorCode != nil {
			row.Cure = r.Cure(*item.ErrorCode)
		}
		shown.Rows = append(shown.Rows, row)
		shown.Busy = shown.Busy || row.Busy()
	}
	return nil
}

// star adds or removes the star of a row in the library, and returns to the page with the form.
func (p shelf) star(r *web.Request) error {
	key := library.Key{
		Platform: transcript.Platform(r.PathValue("platform")), ExternalID: r.PathValue("externalId"), Language: r.URL.Query().Get("language"),
	}
	set := p.API.Library.Unstar
	if r.PostFormValue("starred") == "true" {
		set = p.API.Library.Star
	}
	return r.Done(set(r.Context(), key), web.LocalPath(r.PostFormValue("next")))
}

// libraryRow is a row of the library on its page.
type libraryRow struct {
	library.Item
	Back string // the page with the row
	Cure string // what a visitor can do after a failure
}

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
