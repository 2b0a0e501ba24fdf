package pipeline

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// start is the step between the cut and the first chunk: it puts the first chunks of an
// extraction that has been given a slot into the queue.
func (p *Pipeline) start(ctx context.Context, t task, _ startArgs) error {
	return p.own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		plan, err := readCutList(ctx, tx, e.ID)
		if err != nil {
			return err
		}
		for _, c := range plan.first() {
			if err := tx.Enqueue(ctx, recognizeArgs{Extraction: e.ID, Chunk: c.Index}); err != nil {
				return err
			}
		}
		return tx.Finish(ctx, t.work) // else a second run would queue them twice
	})
}
