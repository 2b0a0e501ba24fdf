package batcher

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxItemAttempts is the largest number of attempts of an item.
const maxItemAttempts = 10

// RetryRequest is a valid request to retry failed items of a batch.
type RetryRequest struct {
	Account string
	Plan    account.Plan // under which they are retried
	Batch   string
	// Items are the ids of the failed items to retry, whatever their errors. nil selects all
	// items that another attempt may help. Codes keeps only items that failed with one of
	// these codes; nil keeps all.
	Items []string
	Codes []transcript.Code
	Key   *db.HeldKey
}

// Retry makes failed items of a batch wait again. The error is NOT_FOUND as for Batch,
// and STATE_CONFLICT with details.status if the batch was canceled.
func (bs *Batches) Retry(ctx context.Context, r RetryRequest) (*batch.Retried, error) {
	var answer db.Answer
	err := bs.onBatchOf(ctx, r.Account, r.Batch, nil, func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
		if b.Status == batch.Cancelled {
			return conflict("The batch was cancelled: its items cannot be retried.", b.Status)
		}
		done, err := bs.retry(ctx, tx, b, r)
		if err != nil {
			return err
		}
		note, err := json.Marshal(done) // the state of the batch is read when the answer is made
		if err != nil {
			return err
		}
		answer = db.Answer{Kind: db.BatchAnswer, ID: b.ID, Note: string(note)}
		return tx.Idempotency.Record(ctx, r.Key, answer, true)
	})
	if err != nil {
		return nil, batchError("retrying a batch", err)
	}
	return bs.Retried(ctx, r.Account, answer)
}

// Retried returns the result of the RetryBatch that recorded the answer, with the current
// state of the batch.
func (bs *Batches) Retried(ctx context.Context, account string, a db.Answer) (*batch.Retried, error) {
	var done batch.Retried
	if err := json.Unmarshal([]byte(a.Note), &done); err != nil {
		return nil, fmt.Errorf("batches: the answer of an earlier retry: %w", err)
	}
	job, err := bs.Get(ctx, account, a.ID)
	if err != nil {
		return nil, err
	}
	done.Batch = view.SummaryOf(job)
	return &done, nil
}

// retry makes items of a batch wait again, and returns these items.
func (bs *Batches) retry(ctx context.Context, tx *db.Tx, b *db.Batch, r RetryRequest) (done batch.Retried, err error) {
	items, err := tx.Items.All(ctx, b.ID)
	if err != nil {
		return done, err
	}
	again, not := r.choose(items)
	done = batch.Retried{Retried: len(again), NotRetried: not}
	if len(again) == 0 {
		return done, nil
	}
	ids := make([]string, len(again))
	for i := range again {
		ids[i] = again[i].ItemID
	}
	if err := tx.Items.Reopen(ctx, b.ID, ids); err != nil {
		return done, err
	}
	short := slices.ContainsFunc(items, func(i db.BatchItem) bool { return i.Short && slices.Contains(ids, i.ID) })
	return done, bs.reopen(ctx, tx, b, r, short)
}

// reopen queues the batch again, so that its waiting items are submitted under the terms
// of a retry; short says that there are short links among the items.
func (bs *Batches) reopen(ctx context.Context, tx *db.Tx, b *db.Batch, r RetryRequest, short bool) error {
	b.Status = batch.Processing
	b.Limits, b.CacheTTL = limits.OfItems(r.Plan, time.Now()), r.Plan.CacheTTL
	if short && b.Listed {
		b.Listed = false
		if err := tx.Queue.Enqueue(ctx, expandArgs{Batch: b.ID}); err != nil {
			return err
		}
	}
	return bs.resume(ctx, tx, b)
}

// choose splits the failed items into items to retry and items to leave. It states the
// reason for each item that it leaves.
func (r RetryRequest) choose(items []db.BatchItem) (again, not []batch.NotRetried) {
	not = []batch.NotRetried{}
	known := map[string]bool{}
	for _, item := range items {
		known[item.ID] = true
		named := slices.Contains(r.Items, item.ID)
		if item.Status != batch.ItemFailed || r.Items != nil && !named {
			continue
		}
		verdict := batch.NotRetried{ItemID: item.ID, Reason: string(item.ErrorCode)}
		switch {
		case item.Attempts >= maxItemAttempts:
			verdict.Reason = batch.AttemptsExhausted
			not = append(not, verdict)
		case item.Attempts == 0, // it names no content
			r.Codes != nil && !slices.Contains(r.Codes, item.ErrorCode),
			!item.Retryable && !named:
			not = append(not, verdict)
		default:
			again = append(again, verdict)
		}
	}
	for _, id := range r.Items {
		if !known[id] {
			known[id] = true
			not = append(not, batch.NotRetried{ItemID: id, Reason: string(transcript.NotFound)})
		}
	}
	return again, not
}

// Cancel ends a batch: items without a job are skipped, and the other items continue to
// their ends. The error is NOT_FOUND as in Batch, and STATE_CONFLICT with details.status
// if the batch has ended.
func (bs *Batches) Cancel(ctx context.Context, account, id string, key *db.HeldKey) (*batch.Job, error) {
	err := bs.onBatchOf(ctx, account, id, key, func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
		if b.Status.Terminal() {
			return conflict("The batch has already ended.", b.Status)
		}
		if err := tx.Items.Skip(ctx, b.ID); err != nil {
			return err
		}
		b.Status, b.Feeding = batch.Cancelled, false
		if err := tx.Batches.Save(ctx, b); err != nil {
			return err
		}
		if err := bs.cfg.Ended(ctx, tx, b); err != nil {
			return err
		}
		return tx.Queue.Enqueue(ctx, feedArgs{Batch: b.ID}) // which cancels their jobs
	})
	if err != nil {
		return nil, batchError("canceling a batch", err)
	}
	return bs.Get(ctx, account, id)
}

// Delete removes a batch with its items, but not the transcripts. The error is NOT_FOUND
// as for Batch, and STATE_CONFLICT with details.status while the batch runs.
func (bs *Batches) Delete(ctx context.Context, account, id string) error {
	b, err := bs.store.Batches.Owned(ctx, account, id)
	if err == nil && b.Status == batch.Cancelled {
		err = bs.abandon(ctx, &b.Batch) // because its items would be lost
	}
	if err == nil {
		err = bs.onBatchOf(ctx, account, id, nil, func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
			if !b.Status.Terminal() {
				return conflict("The batch is still running: cancel it first.", b.Status)
			}
			return remove(ctx, tx, account, id)
		})
	}
	if err != nil {
		return batchError("deleting a batch", err)
	}
	return nil
}

// abandon cancels the jobs for which only skipped items of a canceled batch have waited.
func (bs *Batches) abandon(ctx context.Context, b *db.Batch) error {
	jobs, err := bs.store.Jobs.Abandoned(ctx, b.ID)
	if err != nil {
		return err
	}
	for _, c := range jobs {
		err := bs.cfg.CancelJobs(ctx, c.WorkID, func(ctx context.Context, tx *db.Tx) ([]db.Job, error) {
			left, err := tx.Jobs.Abandoned(ctx, b.ID) // another request may have joined the job
			return slices.DeleteFunc(left, func(l db.Job) bool { return l.ID != c.ID }), err
		})
		if err != nil {
			return fmt.Errorf("batches: canceling a claim of a batch: %w", err)
		}
	}
	return nil
}

// onBatchOf runs fn in a transaction that has locked a batch of an account. If the
// request holds a key, it records the answer for the key. The error is ErrNotFound if the
// account has no such batch.
func (bs *Batches) onBatchOf(ctx context.Context, account, id string, key *db.HeldKey, fn func(ctx context.Context, tx *db.Tx, b *db.Batch) error) error {
	return bs.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		b, err := tx.Batches.LockOwned(ctx, account, id)
		if err != nil {
			return err
		}
		if err := fn(ctx, tx, b); err != nil {
			return err
		}
		return tx.Idempotency.Record(ctx, key, db.Answer{Kind: db.BatchAnswer, ID: id}, true)
	})
}

// conflict is the refusal of a request that the state of a batch does not permit.
func conflict(message string, status batch.Status) *transcript.Error {
	return transcript.Errorf(transcript.StateConflict, "%s", message).With("status", status)
}
