package batcher

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// FailExpansion ends the last attempt to list the items of a batch with an error.
func (bs *Batches) FailExpansion(ctx context.Context, batch string, cause error) error {
	return bs.expandFault(ctx, queue.Row{}, expandArgs{Batch: batch, Failed: attempt.MaxAttempts}, cause)
}
