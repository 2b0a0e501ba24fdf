package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
)

// Every process compares the queue with the work that has not ended, when it starts and
// then regularly. Work that two looks in a row find stranded is queued again in its
// present state. If only one process serves, the look at the start is enough.

// watchStranded looks for stranded work until ctx ends. seen is what the look at the
// start has found.
func (r *rescue) watchStranded(ctx context.Context, seen db.Stranded) {
	for attempt.Sleep(ctx, r.lookEvery) {
		found, err := r.store.Stranded(db.Unhurried(ctx))
		if err == nil {
			err = r.queueStranded(ctx, db.Stranded{
				Extractions: inBoth(seen.Extractions, found.Extractions),
				Batches:     inBoth(seen.Batches, found.Batches),
			})
			seen = found
		}
		if err != nil && ctx.Err() == nil {
			r.log.ErrorContext(ctx, "looking for stranded work failed", "err", err)
		}
	}
}

// inBoth are the ids of both lists.
func inBoth(before, now []string) []string {
	return slices.DeleteFunc(slices.Clone(now), func(id string) bool { return !slices.Contains(before, id) })
}

// firstLook is the look at the start. If no other process serves, firstLook queues the
// stranded work.
func (r *rescue) firstLook(ctx context.Context) (db.Stranded, error) {
	found, err := r.store.Stranded(db.Unhurried(ctx))
	if err != nil || r.store.Shared() {
		return found, err
	}
	return found, r.queueStranded(ctx, found)
}

// queueStranded queues stranded work again. It leaves work alone that is not stranded
// any longer.
func (r *rescue) queueStranded(ctx context.Context, found db.Stranded) (err error) {
	for _, id := range found.Extractions {
		err = errors.Join(err, r.queueExtraction(ctx, id))
	}
	for _, id := range found.Batches {
		err = errors.Join(err, r.queueBatch(ctx, id))
	}
	return err
}

func (r *rescue) queueExtraction(ctx context.Context, id string) error {
	team := r.cluster.TeamNow(ctx)
	err := r.claims.change(ctx, id, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		if e == nil {
			return nil
		}
		if stranded, err := tx.ExtractionStranded(ctx, id); err != nil || !stranded {
			return err
		}
		steps, err := nextSteps(ctx, tx, e, team)
		if err != nil {
			return err
		}
		for _, s := range steps {
			if err := tx.Queue.Enqueue(ctx, s); err != nil {
				return err
			}
		}
		r.countStranded(ctx, tx, "extraction", id)
		return nil
	})
	if err != nil {
		return fmt.Errorf("pipeline: queueing stranded work: %w", err)
	}
	return nil
}

// countStranded counts work that is queued again, once that is committed.
func (r *rescue) countStranded(ctx context.Context, tx *db.Tx, what, id string) {
	tx.AfterCommit(func() {
		r.metrics.WorkStranded()
		r.log.WarnContext(ctx, "work that stood in no queue is queued again: the database may have lost commits", what, id)
	})
}

// nextSteps are the steps by which an extraction goes on from where it stands.
func nextSteps(ctx context.Context, tx *db.Tx, e *db.Extraction, team cluster.Team) ([]queue.Step, error) {
	switch e.State {
	case captionFetch:
		return []queue.Step{captionsArgs{Extraction: e.ID}}, nil
	case durationCheck:
		return []queue.Step{prepareStep(e)}, nil
	case pendingQueued:
		place, err := tx.Places.ByExtraction(ctx, e.ID)
		if place.Taken() || !subject.OfExtraction(e).WantsCaptions() || !team.ReadsCaptions(e.Platform) {
			return []queue.Step{prepareStep(e)}, err
		}
		return []queue.Step{captionsArgs{Extraction: e.ID}}, err
	}
	plan, err := readCutList(ctx, tx, e.ID)
	if err != nil {
		return nil, err
	}
	chunks, inTurn := plan.stranded(team.TakesTurns(subject.OnlyASR(subject.OfExtraction(e).ASRLanguage())))
	if len(chunks) == 0 {
		return []queue.Step{publishArgs{Extraction: e.ID}}, nil
	}
	steps := make([]queue.Step, len(chunks))
	for i, c := range chunks {
		steps[i] = recognizeArgs{Extraction: e.ID, Chunk: c.Index, InTurn: inTurn}
	}
	return steps, nil
}

// stranded returns the chunks that should stand in the queue while no chunk does: the
// chunks that enter the queue at first, and the chunks that enter when a finished chunk
// is done. stillInTurn reports whether the chunks still wait for each other, if they
// did at first.
func (l cutList) stranded(inTurn bool) (chunks []recognition.Chunk, stillInTurn bool) {
	speaking := l.Speech()
	left := slices.IndexFunc(speaking, func(c recognition.Chunk) bool { return !l.done[c.Index] })
	if left < 0 {
		return nil, inTurn
	}
	if inTurn && !slices.ContainsFunc(speaking[left:], func(c recognition.Chunk) bool { return l.done[c.Index] }) {
		return speaking[left : left+1], true
	}
	for i, c := range speaking {
		if !l.done[c.Index] && (i < chunkWindow || l.done[speaking[i-chunkWindow].Index]) {
			chunks = append(chunks, c)
		}
	}
	return chunks, false
}

func (r *rescue) queueBatch(ctx context.Context, id string) error {
	err := r.features.QueueBatch(ctx, id, func(tx *db.Tx) { r.countStranded(ctx, tx, "batch", id) })
	if err != nil {
		return fmt.Errorf("pipeline: queueing a stranded batch: %w", err)
	}
	return nil
}
