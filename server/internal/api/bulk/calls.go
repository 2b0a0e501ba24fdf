package bulk

import (
	"context"
	"net/http"
	"slices"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
)

// CreateCall is POST /v1/batch.
func (b *Batches) CreateCall() resource.Call {
	req := new(batchRequest)
	table := req.table()
	return resource.Call{Table: table, Once: func(w http.ResponseWriter, r *http.Request) (any, error) {
		var made *batch.Job
		op := b.creation(r, req, func() (map[string]any, error) { return table.Canonical(), nil }, &made)
		if _, err := b.Edge.Settle(w, r, op); err != nil {
			return nil, err
		}
		return accepted(made), nil
	}}
}

// GetCall is GET /v1/batch/{batchId}.
func (b *Batches) GetCall() resource.Call {
	var id string
	q := new(batchQuery)
	table := q.table()
	table.Fields = slices.Concat(byID.Path(&id).Fields, table.Fields)
	return resource.Call{Table: table, Answer: func(ctx context.Context, p account.Principal) (any, error) {
		page, _, err := b.page(ctx, p, id, resource.ListingNamed(p.Account, "getBatch", id), q)
		return page, err
	}}
}
