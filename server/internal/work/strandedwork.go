package work

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recognize"
)

// Every process compares the queue with the work that has not ended, when it starts and
// then regularly. Work that two consecutive checks find stranded is queued again in its
// current state. If only one process serves, the check at the start is enough.

// watchStranded looks for stranded work until ctx ends. seen is what the look at the
// start has found.
func (r *rescue) watchStranded(ctx context.Context, seen db.Stranded) {
	for attempt.Sleep(ctx, r.Retention.Stranded) {
		found, err := r.Store.Stranded(db.Unhurried(ctx))
		if err == nil {
			err = r.queueStranded(ctx, db.Stranded{
				Works:   inBoth(seen.Works, found.Works),
				Batches: inBoth(seen.Batches, found.Batches),
			})
			seen = found
		}
		if err != nil && ctx.Err() == nil {
			r.Log.ErrorContext(ctx, "looking for stranded work failed", "err", err)
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
	found, err := r.Store.Stranded(db.Unhurried(ctx))
	if err != nil || r.Store.Shared() {
		return found, err
	}
	return found, r.queueStranded(ctx, found)
}

// queueStranded queues stranded work again. It leaves work alone that is not stranded
// any longer.
func (r *rescue) queueStranded(ctx context.Context, found db.Stranded) (err error) {
	for _, id := range found.Works {
		err = errors.Join(err, r.queueWork(ctx, id))
	}
	for _, id := range found.Batches {
		err = errors.Join(err, r.queueBatch(ctx, id))
	}
	return err
}

func (r *rescue) queueWork(ctx context.Context, id string) error {
	team := r.Cluster.TeamNow(ctx)
	err := r.Moves.Change(ctx, id, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		if e == nil {
			return nil
		}
		if stranded, err := tx.WorkStranded(ctx, id); err != nil || !stranded {
			return err
		}
		steps, err := recognize.NextSteps(ctx, tx, e, team)
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
		return fmt.Errorf("work: queueing stranded work: %w", err)
	}
	return nil
}

// countStranded counts work that is queued again, once that is committed.
func (r *rescue) countStranded(ctx context.Context, tx *db.Tx, what, id string) {
	tx.AfterCommit(func() {
		r.Metrics.WorkStranded()
		r.Log.WarnContext(ctx, "work that was missing from every queue is queued again: the database may have lost commits", what, id)
	})
}

func (r *rescue) queueBatch(ctx context.Context, id string) error {
	err := r.Features.QueueBatch(ctx, id, func(tx *db.Tx) { r.countStranded(ctx, tx, "batch", id) })
	if err != nil {
		return fmt.Errorf("work: queueing a stranded batch: %w", err)
	}
	return nil
}
