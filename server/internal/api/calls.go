package api

import (
	"context"
	"slices"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
)

// SearchLibrary is GET /v1/library/search.
func (a *API) SearchLibrary() resource.Call {
	asked := new(searchRequest)
	table := asked.query()
	return resource.Call{Table: table, Answer: func(ctx context.Context, p account.Principal) (any, error) {
		return a.search.find(ctx, p.Account, resource.ListOf(p, "searchLibrary", table), asked)
	}}
}

// ListLibrary is GET /v1/library/transcripts.
func (a *API) ListLibrary() resource.Call {
	q := new(library.Query)
	return resource.Call{Table: libraryQuery(q), Answer: func(ctx context.Context, p account.Principal) (any, error) {
		return a.library.pipeline.Library.Page(ctx, p.Account, *q)
	}}
}

// ListChunks is GET /v1/library/transcripts/{platform}/{externalId}/chunks. A page has usual
// chunks if the request does not say how many.
func (a *API) ListChunks(usual int) resource.Call {
	asked := new(chunkList)
	table := asked.query(usual)
	table.Fields = slices.Concat(libraryPath(&asked.key).Fields, table.Fields)
	return resource.Call{Table: table, Answer: func(ctx context.Context, p account.Principal) (any, error) {
		if err := a.library.checkKey(asked.key); err != nil {
			return nil, subject.NotSaved().Because(err)
		}
		list := resource.ListOf(p, "listChunks", table)
		from, saved, err := a.library.chunksOf(ctx, p.Account, list, asked)
		if err != nil {
			return nil, err
		}
		t, err := a.library.pipeline.Library.SavedTimedText(ctx, saved)
		if err != nil {
			return nil, err
		}
		return a.library.chunkPage(t, *asked, list, from)
	}}
}
