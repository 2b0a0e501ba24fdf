package bulk

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// retryRequest is the body of POST /v1/batch/{batchId}/retry. Without a body, all items
// are retried for which another attempt may help.
type retryRequest struct {
	items []string
	codes []transcript.Code
}

func (req *retryRequest) table() request.Table {
	codes := transcript.Codes()
	return request.Table{
		Name: "RetryBatchRequest",
		Fields: []*request.Field{
			request.New("itemIds", &req.items, request.List(request.UUID(), 1, batcher.MaxItems)).
				About("Only these items, also those that are not retryable."),
			request.New("codes", &req.codes, request.List(request.Enum(codes), 1, len(codes))).
				About("Only items that failed with one of these codes."),
		},
	}
}

// retryBatch is POST /v1/batch/{batchId}/retry.
func (b *Batches) retryBatch(w http.ResponseWriter, r *http.Request) error {
	var req retryRequest
	return resource.Post[*batch.Retried]{
		Body: resource.OptionalBody(req.table()),
		Do: func(ctx context.Context, owner, id string, key *db.HeldKey) (*batch.Retried, error) {
			return b.Pipeline.Batches.Retry(ctx, batcher.RetryRequest{
				Account: owner, Plan: edge.Principal(r).Plan, Batch: id, Items: req.items, Codes: req.codes, Key: key,
			})
		},
		Again: b.Pipeline.Batches.Retried,
		Reply: func(retried *batch.Retried) (edge.Reply, error) {
			return edge.ReplyJSON(http.StatusAccepted, b.batchHeader(retried.Batch.ID), retried)
		},
	}.Answer(b.Edge, byID, w, r)
}
