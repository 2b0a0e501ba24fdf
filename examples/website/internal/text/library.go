package text

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

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
			View: cmp.Or(library.View(q.Get("view")), library.History), Q: q.Get("q"), Platform: library.PlatformFilter(q.Get("platform")),
			Lang: q.Get("lang"), Tags: q["tag"], Sort: library.Sort(q.Get("sort")), Page: max(page, 1),
		},
		Said: q.Get("in") == said,
		From: q.Get("from"),
	}
}

// URL returns the URL of the view. It leaves out default values.
func (a libraryAsked) URL() string {
	var pairs []string
	for _, f := range a.Filters() {
		pairs = append(pairs, f.Name, f.Value)
	}
	if a.Said {
		pairs = append(pairs, "in", said)
	}
	if a.Page > 1 {
		pairs = append(pairs, "page", strconv.Itoa(a.Page))
	}
	return web.WithQuery("/library", append(pairs, "from", a.From)...)
}

// filter is a field of a form that selects a view.
type filter struct{ Name, Value string }

// Filters returns the fields of a form for the rows of the view on all pages.
func (a libraryAsked) Filters() (fields []filter) {
	all := []filter{{"q", a.Q}, {"platform", string(a.Platform)}, {"lang", a.Lang}, {"sort", string(a.Sort)}}
	if a.View != library.History {
		all = append(all, filter{"view", string(a.View)})
	}
	for _, tag := range a.Tags {
		all = append(all, filter{"tag", tag})
	}
	return slices.DeleteFunc(all, func(f filter) bool { return f.Value == "" })
}

// Open reports whether the part of the form for filters has input.
func (a libraryAsked) Open() bool {
	return a.View != library.History || a.Platform != "" || a.Lang != "" || a.Sort != ""
}

// Tagged returns the view of the contents that have one more tag, and Untagged the view without
// a tag.
func (a libraryAsked) Tagged(tag string) libraryAsked {
	a = a.Untagged(tag)
	a.Tags = append(a.Tags, tag)
	return a
}

func (a libraryAsked) Untagged(tag string) libraryAsked {
	a.Page, a.From, a.Said = 1, "", false
	a.Tags = slices.DeleteFunc(slices.Clone(a.Tags), func(other string) bool { return strings.EqualFold(other, tag) })
	return a
}

// At returns another page of the same view.
func (a libraryAsked) At(page int) libraryAsked { a.Page = page; return a }

// After returns another page of a search in texts.
func (a libraryAsked) After(token string) libraryAsked { a.From = token; return a }

// InSaid returns a search for the same words in texts alone.
func (a libraryAsked) InSaid() libraryAsked {
	return libraryAsked{Query: library.Query{View: library.History, Q: a.Q, Platform: a.Platform, Lang: a.Lang}, Said: true}
}

// Everywhere returns a search for the same words in titles and in texts.
func (a libraryAsked) Everywhere() libraryAsked {
	return libraryAsked{Query: library.Query{View: library.History, Q: a.Q}}
}

// Filtered reports whether the library may have rows outside the view.
func (a libraryAsked) Filtered() bool {
	return a.View != library.History || a.Q != "" || a.Platform != "" || a.Lang != "" || len(a.Tags) > 0
}

// Library is a view of a visitor's library: rows, and the results of a search in texts.
type Library struct {
	Asked   libraryAsked
	Langs   []string // of all texts
	Refused string   // why there are no rows; empty: there are

	Rows            []libraryRow
	Total, From, To int64 // rows on all pages, and the range on this page, from 1
	Pages           int
	Found           []libraryMatch // results of a search in texts
	NextFound       string         // the token of their next page
	Busy            bool           // whether a row is still in progress
}

// Status is the status of the page with the view.
func (s Library) Status() int {
	if s.Refused != "" {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// Previous is the number of the page before.
func (s Library) Previous() int { return min(s.Asked.Page-1, s.Pages) }

// Next is the number of the next page.
func (s Library) Next() int { return s.Asked.Page + 1 }

// Views are the views to choose from, the default first.
func (Library) Views() []library.View {
	return []library.View{library.History, library.All, library.Starred}
}

// Sorts are the orders to choose from, the default first.
func (Library) Sorts() []library.Sort { return library.Sorts() }

// Platforms are the platforms to choose from, with none for all of them.
func (Library) Platforms() []library.PlatformFilter { return library.PlatformFilters() }

// OpenLibrary returns the view of the visitor's library that the query of an address selects.
func OpenLibrary(r *web.Request, s *web.Site, query url.Values) (*Library, error) {
	shown := &Library{Asked: libraryAskedBy(query)}
	err := shelf{s}.fill(r, shown)
	var refused *client.Error
	if errors.As(err, &refused) && refused.Code == transcript.InvalidRequest {
		shown.Refused, err = r.Sentence(refused.Code, refused.Details), nil
	}
	return shown, err
}

// shelf is the library of all texts.
type shelf struct{ *web.Site }

// fill reads the rows of a view. The words of a search are looked for in titles and in texts, at
// the same time.
func (p shelf) fill(r *web.Request, shown *Library) error {
	if shown.Asked.Said {
		return p.fillSaid(r.Context(), shown)
	}
	searched := make(chan error, 1)
	go func() { searched <- p.searchBeside(r.Context(), shown) }()
	err := p.fillRows(r, shown)
	if failed := <-searched; failed != nil && err == nil { // the titles are found
		p.Log.WarnContext(r.Context(), "the texts cannot be searched", "err", failed)
	}
	return err
}

func (p shelf) fillRows(r *web.Request, shown *Library) error {
	page, err := p.API.Library.List(r.Context(), shown.Asked.Query)
	if err != nil {
		return err
	}
	shown.Langs, shown.Total = page.Langs, int64(page.Total)
	shown.Pages = (page.Total + page.PageSize - 1) / page.PageSize
	shown.From = int64(page.Page-1)*int64(page.PageSize) + 1
	shown.To = shown.From + int64(len(page.Transcripts)) - 1
	asked := 0
	for _, item := range page.Transcripts {
		row := libraryRow{Item: item, Asked: shown.Asked, Percent: -1}
		if item.ErrorCode != nil {
			row.Cure = r.Cure(*item.ErrorCode)
		}
		if item.Kind == library.KindPending && asked < mostJobs {
			asked++
			p.fillProgress(r.Context(), &row)
		}
		shown.Rows = append(shown.Rows, row)
		shown.Busy = shown.Busy || row.Busy()
	}
	return nil
}

// mostJobs is how many jobs a page of the library asks for their progress.
const mostJobs = 10

// fillProgress tells how far the work of a row is, if the service says it.
func (p shelf) fillProgress(ctx context.Context, row *libraryRow) {
	job, err := p.API.Jobs.Get(ctx, row.JobID)
	if err != nil {
		return // the row says less
	}
	if job.Stage != transcript.StageDone { // the text is there with the next view
		row.Stage = job.Stage
	}
	if job.Progress != nil {
		row.Percent = int(100 * min(max(job.Progress.Fraction, 0), 1))
	}
}

// star adds or removes the star of a row in the library, and returns to the page with the form.
func (p shelf) star(r *web.Request) error {
	set := p.API.Library.Unstar
	if r.PostFormValue("starred") == "true" {
		set = p.API.Library.Star
	}
	return r.Done(set(r.Context(), keyOf(r)), web.LocalPath(r.PostFormValue("next")))
}

// label sets the title and the tags of a content, and returns to the page with the form. A title
// that the visitor has not changed stays the one that the service knows.
func (p shelf) label(r *web.Request) error {
	change := library.Label{Tags: tagsIn(r.PostFormValue("tags"))}
	if title := strings.TrimSpace(r.PostFormValue("title")); title != r.PostFormValue("was") {
		change.Title = &title
	}
	return r.Done(p.API.Library.Label(r.Context(), keyOf(r), change), web.LocalPath(r.PostFormValue("next")))
}

// tagsIn reads tags with commas between them.
func tagsIn(list string) []string {
	tags := []string{}
	for tag := range strings.SplitSeq(list, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}
