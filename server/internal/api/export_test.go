package api

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
)

// Stream sends what watch yields as the stream of a job does, until the watch ends, or mayStay
// returns false.
func Stream(w http.ResponseWriter, watch func(context.Context) iter.Seq2[pipeline.Event, error], mayStay func() bool) {
	e := &eventStreams{log: slog.New(slog.DiscardHandler), lifetime: edge.NewLifetime()}
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	stream := newEventStream(w)
	if stream.begin() == nil {
		_ = e.pump(ctx, leave, stream, watch(ctx), mayStay, maxStreamAge) // the tests look at the stream
	}
}

// Listing is a list whose pages a test turns.
type Listing struct{ listing }

// ListingOf is the list that an account asks for by a path and a query, whose filters
// are status and maxResults.
func ListingOf(owner, path, query string) (Listing, error) {
	ctx := edge.WithPrincipal(context.Background(), account.Principal{Account: owner})
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	var q paging
	var status string
	table := request.Table{Fields: append(q.fields(500, 50), request.New("status", &status, request.Text(1, 20)))}
	err := table.ReadQuery(query)
	return Listing{listingOf(r, table)}, err
}

// Token is the page token of the entries after a place.
func (l Listing) Token(after any) string { return l.token(after) }

// After reads the place in a page token.
func (l Listing) After(token string, after any) error { return l.after(token, after) }

// LinksOfCSV reads the body of a batch that is a CSV.
func LinksOfCSV(body []byte) ([]string, error) { return linksOfCSV(body) }
