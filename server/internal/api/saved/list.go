package saved

import (
	"math"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Bounds of the lists of a library.
const (
	maxLibraryQ        = 200 // characters
	maxLibraryLang     = 20  // characters
	maxLibraryPage     = 100
	usualLibraryPage   = 24
	maxRelated         = 50
	usualRelated       = 10
	lastPageOfALibrary = math.MaxInt32
)

func (l *Texts) libraryListRoutes() []edge.Route {
	return []edge.Route{
		{
			Method: http.MethodGet, Pattern: "/v1/library/transcripts",
			Operation: "listLibrary", Tag: "library",
			Summary: "List the account's saved transcripts, its batches, and its running and failed jobs.",
			Scope:   account.Transcripts, Handle: l.listLibrary,
			Query:   libraryQuery(new(library.Query)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: library.Page{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest},
		},
		{
			Method: http.MethodGet, Pattern: "/v1/library/transcripts/{platform}/{externalId}/related",
			Operation: "getRelatedTranscripts", Tag: "library",
			Summary: "List the account's other transcripts of the same channel.",
			Scope:   account.Transcripts, Handle: l.getRelatedTranscripts,
			Path: Path(new(library.Key)), Query: relatedQuery(new(int)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: RelatedTranscripts{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript},
		},
	}
}

// libraryQuery is the query of GET /v1/library/transcripts.
func libraryQuery(q *library.Query) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("view", &q.View, request.Enum(library.Views()).Default(library.All)).About("Which rows are listed."),
		request.New("q", &q.Q, request.Text(0, maxLibraryQ)).
			About("Text to find in titles and channels. Case and accents are ignored."),
		request.New("platform", &q.Platform, request.Enum(library.PlatformFilters())).About("Only content of this platform, or only batches."),
		request.New("externalId", &q.ExternalID, request.Plain(1, resource.MaxExternalID)).About("Only the content with this platform id."),
		request.New("lang", &q.Lang, request.Plain(0, maxLibraryLang)).About("An exact tag."),
		request.New("tag", &q.Tags, request.List(request.Plain(1, labels.MaxTag), 0, labels.MaxTags)).About("Only contents with all these tags."),
		request.New("sort", &q.Sort, request.Enum(library.Sorts()).Default(library.Recent)).About("The order of the rows."),
		request.New("page", &q.Page, request.Integer(1, lastPageOfALibrary).Default(1)).About("The number of the page."),
		request.New("pageSize", &q.PageSize, request.Integer(1, maxLibraryPage).Default(usualLibraryPage)).About("Rows on a page."),
	}}
}

// listLibrary is GET /v1/library/transcripts.
func (l *Texts) listLibrary(w http.ResponseWriter, r *http.Request) error {
	var q library.Query
	if err := libraryQuery(&q).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	page, err := l.Pipeline.Library.Page(r.Context(), edge.Principal(r).Account, q)
	return resource.Respond(w, page, err)
}

// RelatedTranscripts is the body of GET …/related.
type RelatedTranscripts struct {
	Items []library.Item `json:"items"` // other saved transcripts of the channel, latest first
}

func relatedQuery(n *int) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("maxResults", n, request.Integer(1, maxRelated).Default(usualRelated)).About("The most entries in the answer."),
	}}
}

// getRelatedTranscripts is GET /v1/library/transcripts/{platform}/{externalId}/related.
func (l *Texts) getRelatedTranscripts(w http.ResponseWriter, r *http.Request) error {
	var n int
	if err := relatedQuery(&n).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	key, err := l.libraryKey(r)
	if err != nil {
		return err
	}
	items, err := l.Pipeline.Library.Related(r.Context(), edge.Principal(r).Account, key, n)
	return resource.Respond(w, RelatedTranscripts{items}, err)
}
