package saved

import (
	"context"
	"slices"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
)

// SearchCall is GET /v1/library/search.
func (l *Texts) SearchCall() resource.Call {
	asked := new(searchRequest)
	table := asked.query()
	return resource.Call{Table: table, Answer: func(ctx context.Context, p account.Principal) (any, error) {
		return l.find(ctx, p.Account, resource.ListOf(p, "searchLibrary", table), asked)
	}}
}

// ListCall is GET /v1/library/transcripts.
func (l *Texts) ListCall() resource.Call {
	q := new(library.Query)
	return resource.Call{Table: libraryQuery(q), Answer: func(ctx context.Context, p account.Principal) (any, error) {
		return l.Pipeline.Library.Page(ctx, p.Account, *q)
	}}
}

// ChunksCall is GET /v1/library/transcripts/{platform}/{externalId}/chunks. By default, a
// page has usual chunks.
func (l *Texts) ChunksCall(usual int) resource.Call {
	asked := new(chunkList)
	table := asked.query(usual)
	table.Fields = slices.Concat(Path(&asked.key).Fields, table.Fields)
	return resource.Call{Table: table, Answer: func(ctx context.Context, p account.Principal) (any, error) {
		if err := l.checkKey(asked.key); err != nil {
			return nil, subject.NotSaved().Because(err)
		}
		list := resource.ListOf(p, "listChunks", table)
		from, saved, err := l.chunksOf(ctx, p.Account, list, asked)
		if err != nil {
			return nil, err
		}
		t, err := l.Pipeline.Library.SavedTimedText(ctx, saved)
		if err != nil {
			return nil, err
		}
		return l.chunkPage(t, *asked, list, from)
	}}
}
