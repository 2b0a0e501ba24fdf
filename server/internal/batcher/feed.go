package batcher

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// feedArgs is the step that submits items of a batch.
type feedArgs struct {
	Batch string `json:"batch"`
}

func (feedArgs) Kind() string  { return "feed" }
func (feedArgs) Queue() string { return ItemsQueue }

const (
	// feedWindow is how many items of a batch are in progress at the same time: enough for
	// the workers of several processes. Items that need recognition do not count, because
	// the places of their accounts limit them.
	feedWindow = 64
	// feedBelow is the number of items in progress below which more items are submitted.
	feedBelow = feedWindow / 2
	// takenAtOnce is how many items are submitted at the same time.
	takenAtOnce = 4
)

// Feed submits items of a batch, as many as fit into the window. It may run twice, even
// at the same time, because an item gets only one job.
func (bs *Batches) Feed(ctx context.Context, _ queue.Row, step feedArgs) error {
	ctx = db.Unhurried(ctx)
	b, err := bs.store.Batches.ByID(ctx, step.Batch)
	switch {
	case errors.Is(err, db.ErrNotFound): // it was deleted
		return nil
	case err != nil:
		return err
	case b.Status == batch.Cancelled:
		return bs.abandon(ctx, b)
	}
	open, err := bs.store.Items.Open(ctx, b.ID, feedWindow)
	if err != nil {
		return err
	}
	var items []db.BatchItem
	if room := feedWindow - open.UnderWay; room > 0 {
		if items, err = bs.store.Items.WithoutJob(ctx, b.ID, room); err != nil {
			return err
		}
	}
	if err := bs.takeUp(ctx, b, items); err != nil {
		return err // the error is temporary: the queue runs the step again
	}
	return bs.onBatch(ctx, b.ID, func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
		b.Feeding = false
		return bs.resume(ctx, tx, b)
	})
}

// takeUp submits several items of a batch at the same time, because a transaction spends most of
// its time waiting for the database. The first error ends it.
func (bs *Batches) takeUp(ctx context.Context, b *db.Batch, items []db.BatchItem) error {
	some, ctx := errgroup.WithContext(ctx)
	some.SetLimit(takenAtOnce)
	for i := range items {
		some.Go(func() error {
			if errors.Is(ctx.Err(), context.Canceled) {
				return fmt.Errorf("batches: the service stops: %w", context.Canceled) // puts the step back into the queue (queue.Runner)
			}
			return bs.takeUpItem(ctx, b, &items[i])
		})
	}
	return some.Wait()
}

// takeUpItem submits an item of a batch. It returns only temporary errors. Any other
// error ends the item, and only this item.
func (bs *Batches) takeUpItem(ctx context.Context, b *db.Batch, item *db.BatchItem) error {
	submit := bs.cfg.TakeUp(ctx, b, item)
	err := bs.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		taken, err := submit(ctx, tx)
		switch {
		case err != nil:
			return err
		case taken.TranscriptID != "":
			return bs.endItem(ctx, tx, item, batch.ItemSuccess, db.ItemEnd{TranscriptID: taken.TranscriptID})
		case taken.Job.State.Status.Terminal(): // the plan does not permit it
			return bs.endItem(ctx, tx, item, batch.ItemFailed, failedItem(taken.Job.Error))
		}
		return tx.Items.SetJob(ctx, item.ID, taken.Job, taken.Sound)
	})
	switch coded := (*transcript.Error)(nil); {
	case err == nil, errors.Is(err, db.ErrNotFound): // the item was canceled, or another run has submitted it
		return nil
	case attempt.Own(err), errors.Is(err, transcript.ServiceUnavailable), ctx.Err() != nil:
		return fmt.Errorf("batches: taking up an item: %w", err)
	case !errors.As(err, &coded):
		bs.log.ErrorContext(ctx, "an item of a batch could not be taken up", "batch", b.ID, "item", item.ID, "err", err)
	}
	err = bs.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return bs.endItem(ctx, tx, item, batch.ItemFailed, failedItem(attempt.OfJob(err)))
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}

// endItem ends an item that has no job. The error is ErrNotFound if the item no longer
// waits.
func (bs *Batches) endItem(ctx context.Context, tx *db.Tx, item *db.BatchItem, status batch.ItemStatus, end db.ItemEnd) error {
	b, err := tx.Batches.Lock(ctx, item.BatchID)
	if err != nil {
		return err
	}
	if err := tx.Items.End(ctx, item.ID, status, end); err != nil {
		return err
	}
	return bs.goOn(ctx, tx, b)
}

// EndItems ends the items that wait for ended jobs. The transaction has written
// everything about the end except its cost. endItems returns the jobs for whose end no
// item or request waits, because their items were skipped when their batch was canceled.
func (bs *Batches) EndItems(ctx context.Context, tx *db.Tx, jobs []db.Job, end db.End) (forNobody []string, err error) {
	batches, err := Lock(ctx, tx, jobs)
	if err != nil {
		return nil, err
	}
	ids := batched(jobs)
	status, how := itemEnd(end)
	var waited []string
	for i := range batches {
		b := &batches[i]
		ended, err := tx.Items.EndOfJobs(ctx, b.ID, ids, status, how)
		if err != nil {
			return nil, err
		}
		waited = append(waited, ended...)
		if err := bs.goOn(ctx, tx, b); err != nil {
			return nil, err
		}
	}
	for _, c := range jobs {
		if c.Batched && !c.Asked && !slices.Contains(waited, c.ID) {
			forNobody = append(forNobody, c.ID)
		}
	}
	return forNobody, nil
}

// itemEnd returns the end of an item that waits for a job that has ended.
func itemEnd(end db.End) (batch.ItemStatus, db.ItemEnd) {
	switch {
	case end.Status == transcript.JobSuccess:
		return batch.ItemSuccess, db.ItemEnd{TranscriptID: end.TranscriptID}
	case end.Error != nil:
		return batch.ItemFailed, failedItem(end.Error)
	}
	return batch.ItemFailed, failedItem(transcript.Errorf(transcript.StateConflict, "The job was cancelled."))
}

// Lock locks the batches whose items wait for jobs.
func Lock(ctx context.Context, tx *db.Tx, jobs []db.Job) ([]db.Batch, error) {
	ids := batched(jobs)
	if len(ids) == 0 {
		return nil, nil
	}
	return tx.Batches.LockWaiting(ctx, ids)
}

// batched are the ids of the jobs for which items of batches wait.
func batched(jobs []db.Job) (ids []string) {
	for _, c := range jobs {
		if c.Batched {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// MakeRoom lets batches submit other items, because one of their items needs recognition.
func MakeRoom(ctx context.Context, tx *db.Tx, e *db.Work) error {
	batches, err := tx.Items.SetSound(ctx, e.ID)
	if err != nil {
		return err
	}
	for _, id := range batches {
		if err := tx.Queue.Enqueue(ctx, feedArgs{Batch: id}); err != nil {
			return err
		}
	}
	return nil
}

// onBatch runs fn in a transaction that has locked a batch. It ignores a batch that has
// been deleted.
func (bs *Batches) onBatch(ctx context.Context, id string, fn func(ctx context.Context, tx *db.Tx, b *db.Batch) error) error {
	return bs.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		b, err := tx.Batches.Lock(ctx, id)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return fn(ctx, tx, b)
	})
}

// goOn continues a batch after the end of an item, in a transaction that has locked the
// batch: it submits more items, or ends the batch.
func (bs *Batches) goOn(ctx context.Context, tx *db.Tx, b *db.Batch) error {
	if changed, err := bs.follow(ctx, tx, b); err != nil || !changed {
		return err
	}
	return tx.Batches.Save(ctx, b)
}

// resume is goOn for a batch that has been changed. It also saves the change.
func (bs *Batches) resume(ctx context.Context, tx *db.Tx, b *db.Batch) error {
	if _, err := bs.follow(ctx, tx, b); err != nil {
		return err
	}
	return tx.Batches.Save(ctx, b)
}

// follow reports whether it has changed the batch.
func (bs *Batches) follow(ctx context.Context, tx *db.Tx, b *db.Batch) (changed bool, err error) {
	if b.Status.Terminal() {
		return false, nil
	}
	open, err := tx.Items.Open(ctx, b.ID, feedBelow+1)
	switch {
	case err != nil:
		return false, err
	case open.WithoutJob && !b.Feeding && open.UnderWay <= feedBelow:
		b.Feeding = true
		return true, tx.Queue.Enqueue(ctx, feedArgs{Batch: b.ID})
	case open.Any || !b.Listed:
		return false, nil
	}
	counts, err := tx.Items.Counts(ctx, b.ID)
	if err != nil {
		return false, err
	}
	b.Status = lifecycle.BatchEnd(counts)
	return true, bs.cfg.Ended(ctx, tx, b)
}

// QueueStranded queues the steps of a batch that are missing from every queue. It calls
// found in the transaction if there are such steps.
func (bs *Batches) QueueStranded(ctx context.Context, id string, found func(tx *db.Tx)) error {
	return bs.onBatch(ctx, id, func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
		if stranded, err := tx.BatchStranded(ctx, id); err != nil || !stranded {
			return err
		}
		if !b.Listed {
			if err := tx.Queue.Enqueue(ctx, expandArgs{Batch: id}); err != nil {
				return err
			}
		}
		found(tx)
		b.Feeding = false // the step is lost
		return bs.resume(ctx, tx, b)
	})
}
