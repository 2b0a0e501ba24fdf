package saved

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func (l *Texts) searchRoute() edge.Route {
	return edge.Route{
		Method: http.MethodGet, Pattern: "/v1/library/search",
		Operation: "searchLibrary", Tag: "library",
		Summary: "Search the saved transcripts.",
		Scope:   account.Transcripts, Handle: l.searchLibrary,
		Query:   new(searchRequest).query(),
		Answers: []edge.Answer{{Status: http.StatusOK, Body: library.Found{}}},
		Codes:   []transcript.Code{transcript.InvalidRequest},
	}
}

// searchRequest has the fields of a search.
type searchRequest struct {
	q, lang  string
	platform transcript.Platform
	page     resource.Paging
}

func (a *searchRequest) query() request.Table {
	return request.Table{Fields: append([]*request.Field{
		request.New("q", &a.q, request.Text(1, 200)).Required().
			About(`Words and "phrases". A * after a word or phrase finds all with this beginning.`),
		request.New("platform", &a.platform, request.Enum(transcript.Platforms())).About("Only transcripts of this platform."),
		request.New("lang", &a.lang, request.Plain(1, 20)).About("Only transcripts with exactly this language tag."),
	}, a.page.Fields(50, 20)...)}
}

// searchLibrary is GET /v1/library/search.
func (l *Texts) searchLibrary(w http.ResponseWriter, r *http.Request) error {
	var asked searchRequest
	query := asked.query()
	if err := query.ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	found, err := l.find(r.Context(), edge.Principal(r).Account, resource.ListingOf(r, query), &asked)
	return resource.Respond(w, found, err)
}

// find returns a page of the places in the library of an account that match the query.
func (l *Texts) find(ctx context.Context, owner string, list resource.Listing, asked *searchRequest) (*library.Found, error) {
	look := db.Search{
		Account: owner, Query: search.Parse(asked.q), Platform: string(asked.platform), Lang: asked.lang,
		N: asked.page.MaxResults,
	}
	if asked.page.PageToken != "" {
		look.After = new(db.SearchPlace)
		if err := list.After(asked.page.PageToken, look.After); err != nil {
			return nil, err
		}
	}
	found := &library.Found{Query: asked.q, Items: []library.Match{}}
	next, err := l.Pipeline.Library.Search(ctx, look, func(t *db.Transcript, place db.SearchFound) error {
		match, err := l.matchOf(look.Query, t, place)
		if err == nil {
			found.Items = append(found.Items, match)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if next != nil {
		found.NextPageToken = list.Token(*next)
	}
	return found, nil
}

// matchOf is a transcript with the hits of the query.
func (l *Texts) matchOf(q search.Query, t *db.Transcript, place db.SearchFound) (library.Match, error) {
	m := library.Match{
		Platform: t.Platform, ExternalID: t.ExternalID, Lang: t.Lang, Title: t.Title, Channel: t.Channel,
		Hits: []library.Hit{}, HitCount: place.Hits,
	}
	text, err := t.Whole()
	if err != nil {
		return m, err
	}
	for _, at := range place.At {
		if segment, snippet, ok := q.Hit(text.Segments, at); ok {
			m.Hits = append(m.Hits, library.Hit{
				Start: segment.Start, Duration: segment.Duration, Snippet: snippet, Speaker: segment.Speaker, URL: resource.LinkTo(l.Sites, t.Platform, t.ExternalID, segment.Start),
			})
		}
	}
	return m, nil
}
