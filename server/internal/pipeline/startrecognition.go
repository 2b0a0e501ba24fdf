package pipeline

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
)

// start is the step between the cut and the first chunk: it puts the first chunks of an
// extraction that has been given a slot into the queue.
func (p *processor) start(ctx context.Context, t task, _ startArgs) error {
	team := p.cluster.TeamNow(ctx)
	return p.own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		plan, err := readCutList(ctx, tx, e.ID)
		if err != nil {
			return err
		}
		inTurn := team.TakesTurns(subject.OnlyASR(subject.OfExtraction(e).ASRLanguage()))
		if err := enqueueChunks(ctx, tx, e, plan.first(inTurn), inTurn); err != nil {
			return err
		}
		return tx.Finish(ctx, t.work) // else a second run would queue them twice
	})
}

func enqueueChunks(ctx context.Context, tx *db.Tx, e *db.Extraction, chunks []recognition.Chunk, inTurn bool) error {
	for _, c := range chunks {
		if err := tx.Enqueue(ctx, recognizeArgs{Extraction: e.ID, Chunk: c.Index, InTurn: inTurn}); err != nil {
			return err
		}
	}
	return nil
}
