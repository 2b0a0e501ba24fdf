package retention

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
)

// Removals removes accounts with everything that belongs to them. Safe for concurrent use.
type Removals struct {
	Store *db.Store
	Audio *audio.Files
	// CancelJobs cancels jobs on an extraction: those that which returns in the transaction.
	CancelJobs func(ctx context.Context, extraction string, which func(context.Context, *db.Tx) ([]db.Job, error)) error
	// Follows and Webhooks remove those of an account, and return how many they were.
	Follows, Webhooks func(ctx context.Context, account string) (int64, error)
}

// Removed is how much of an account was removed.
type Removed struct {
	Keys       int64
	Contents   int64 // of the library, each with all its languages
	Recordings int64 // blobs of kept recordings, with the copies for playing
	Uploads    int64 // unfinished ones, and those of the last day
	Jobs       int64
	Batches    int64
	Follows    int64
	Webhooks   int64
	Shares     int64
	Other      int64 // rows that no client sees as a thing of its own
}

// removalRemembered is how long after a removal the sweep looks for rows that a request has still
// written: no upload lasts longer between two requests.
const removalRemembered = 25 * time.Hour

// Remove suspends an account, and removes it with everything that belongs to it. The running jobs
// of the account are cancelled. Remove may be called again after an error: it goes on.
// db.ErrNotFound: there is no such account.
func (r *Removals) Remove(ctx context.Context, account string) (Removed, error) {
	ctx = db.Unhurried(ctx)
	err := r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Removals.Begin(ctx, account) })
	if err != nil {
		return Removed{}, err
	}
	return r.removeMarked(ctx, account)
}

// GoOn goes on with removals that have not ended, and removes what requests have still written
// after the end of others.
func (r *Removals) GoOn(ctx context.Context, now time.Time) error {
	ctx = db.Unhurried(ctx)
	marks, err := r.Store.Removals.All(ctx)
	if err != nil {
		return err
	}
	for _, mark := range marks {
		_, err := r.removeMarked(ctx, mark.Account)
		if err == nil && mark.EndedAt != nil && now.Sub(*mark.EndedAt) > removalRemembered {
			err = r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Removals.Forget(ctx, mark.Account) })
		}
		if err != nil && !errors.Is(err, db.ErrNotFound) { // the account was made again
			return err
		}
	}
	return nil
}

// removeMarked removes everything of an account that is marked. db.ErrNotFound: the mark has gone.
func (r *Removals) removeMarked(ctx context.Context, account string) (all Removed, err error) {
	// A request that was under way may have written rows where a round has looked already.
	for removed := (Removed{Other: 1}); removed != (Removed{}); {
		removed, err = r.round(ctx, account)
		all.add(removed)
		if err != nil {
			return all, fmt.Errorf("retention: removing account %s: %w", account, err)
		}
	}
	return all, r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Removals.End(ctx, account) })
}

// round removes everything once: first what lets others in and what makes work, then the work,
// then its results.
func (r *Removals) round(ctx context.Context, account string) (n Removed, err error) {
	for _, part := range []struct {
		removed *int64
		remove  func(context.Context, string) (int64, error)
	}{
		{&n.Keys, r.rows(db.OwnedKeys)},
		{&n.Shares, r.rows(db.OwnedShares)},
		{&n.Other, r.rows(db.OwnedTextFeeds)},
		{&n.Webhooks, r.Webhooks},
		{&n.Follows, r.Follows},
		{&n.Batches, r.batches},
		{&n.Uploads, r.uploads},
		{&n.Other, r.running},
		{&n.Other, r.rows(db.OwnedVolumes)},
		{&n.Contents, r.contents},
		{&n.Other, r.rows(db.OwnedLibrary)},
		{&n.Recordings, r.recordings},
		{&n.Other, r.rows(db.OwnedTranscripts)},
		{&n.Jobs, r.rows(db.OwnedJobs)},
		{&n.Other, r.extractions},
		{&n.Other, r.rows(db.OwnedIdempotency)},
		{&n.Other, r.rows(db.OwnedUsage)},
		{&n.Other, r.rows(db.OwnedSizes)},
		{&n.Other, r.rows(db.OwnedFollowing)},
		{&n.Other, r.rows(db.OwnedLines)},
		{&n.Other, r.rows(db.OwnedTurns)},
		{&n.Other, r.rows(db.OwnedWindows)},
		{&n.Other, r.steps},
	} {
		if err := r.stillMarked(ctx, account); err != nil {
			return n, err
		}
		removed, err := part.remove(ctx, account)
		*part.removed += removed
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// stillMarked returns db.ErrNotFound if the account was made again.
func (r *Removals) stillMarked(ctx context.Context, account string) error {
	return r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Removals.Lock(ctx, account) })
}

// unlessGone drops the error that a thing is not there, because another process removes the same
// account. It returns db.ErrNotFound if the account was made again.
func (r *Removals) unlessGone(ctx context.Context, account string, err error) error {
	if !errors.Is(err, db.ErrNotFound) {
		return err
	}
	return r.stillMarked(ctx, account)
}

func (n *Removed) add(more Removed) {
	n.Keys += more.Keys
	n.Contents += more.Contents
	n.Recordings += more.Recordings
	n.Uploads += more.Uploads
	n.Jobs += more.Jobs
	n.Batches += more.Batches
	n.Follows += more.Follows
	n.Webhooks += more.Webhooks
	n.Shares += more.Shares
	n.Other += more.Other
}

// rows returns a function that removes the rows of an account in a table.
func (r *Removals) rows(table db.Owned) func(context.Context, string) (int64, error) {
	return func(ctx context.Context, account string) (int64, error) {
		return r.untilNone(ctx, func(ctx context.Context, tx *db.Tx) (int64, error) {
			return tx.Removals.DeleteSome(ctx, table, account)
		})
	}
}

func (r *Removals) steps(ctx context.Context, account string) (int64, error) {
	return r.untilNone(ctx, func(ctx context.Context, tx *db.Tx) (int64, error) {
		if err := tx.Removals.Lock(ctx, account); err != nil {
			return 0, err
		}
		return tx.Queue.DeleteOf(ctx, account)
	})
}

// untilNone removes some rows in each transaction, until there are none left.
func (r *Removals) untilNone(ctx context.Context, some func(context.Context, *db.Tx) (int64, error)) (all int64, err error) {
	for {
		var n int64
		err := r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
			n, err = some(ctx, tx)
			return err
		})
		if err != nil || n == 0 {
			return all, err
		}
		all += n
	}
}

// uploads removes the uploads of an account. The pipeline has the files of those with an answer.
func (r *Removals) uploads(ctx context.Context, account string) (n int64, err error) {
	for {
		ids, err := r.Store.Uploads.IDs(ctx, account)
		if err != nil || len(ids) == 0 {
			return n, err
		}
		for _, id := range ids {
			u, err := r.Store.Uploads.Remove(ctx, account, id)
			if errors.Is(err, db.ErrNotFound) {
				continue
			}
			if err != nil {
				return n, err
			}
			n++
			if u.Answer == (db.Answer{}) {
				r.Audio.DeletePrefix(ctx, uploads.PartsPrefix(u))
			}
		}
	}
}

// running cancels the running jobs of an account.
func (r *Removals) running(ctx context.Context, account string) (n int64, err error) {
	for {
		jobs, err := r.Store.Jobs.RunningOf(ctx, account)
		if err != nil || len(jobs) == 0 {
			return n, err
		}
		for _, job := range jobs {
			if err := r.cancel(ctx, job); err != nil {
				return n, err
			}
			n++
		}
	}
}

// cancel ends a job, unless it has ended.
func (r *Removals) cancel(ctx context.Context, job db.Job) error {
	return r.CancelJobs(ctx, job.ExtractionID, func(ctx context.Context, tx *db.Tx) ([]db.Job, error) {
		if err := tx.Removals.Lock(ctx, job.Account); err != nil {
			return nil, err
		}
		now, err := tx.Jobs.Owned(ctx, job.Account, job.ID)
		if errors.Is(err, db.ErrNotFound) || err == nil && now.State.Status.Terminal() {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return []db.Job{*now}, nil
	})
}

// batches removes the batches of an account.
func (r *Removals) batches(ctx context.Context, account string) (n int64, err error) {
	for {
		ids, err := r.Store.Removals.Batches(ctx, account)
		if err != nil || len(ids) == 0 {
			return n, err
		}
		for _, id := range ids {
			err := r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Removals.Batch(ctx, account, id) })
			if err := r.unlessGone(ctx, account, err); err != nil {
				return n, err
			}
			n++
		}
	}
}

// contents removes all contents from the library of an account.
func (r *Removals) contents(ctx context.Context, account string) (n int64, err error) {
	for {
		keys, err := r.Store.Removals.Contents(ctx, account)
		if err != nil || len(keys) == 0 {
			return n, err
		}
		for _, key := range keys {
			var blobs []string
			err := r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
				if err = tx.Removals.Content(ctx, account, key); err == nil {
					blobs, err = recordings.RemoveWithText(ctx, tx, account, key)
				}
				return err
			})
			if err := r.unlessGone(ctx, account, err); err != nil {
				return n, err
			}
			n++
			r.Audio.DeleteBlobs(ctx, blobs...)
		}
	}
}

// recordings removes the recordings that an account keeps.
func (r *Removals) recordings(ctx context.Context, account string) (n int64, err error) {
	for {
		var keys []string
		err := r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
			keys, err = tx.Removals.Recordings(ctx, account)
			return err
		})
		if err != nil || len(keys) == 0 {
			return n, err
		}
		n += int64(len(keys))
		r.Audio.DeleteBlobs(ctx, keys...)
	}
}

// extractions removes the work that was of an account alone, and what is left of its audio.
func (r *Removals) extractions(ctx context.Context, account string) (int64, error) {
	const page = 200
	for after, more := "", true; more; {
		ended, err := r.Store.Extractions.EndedOf(ctx, account, after, page)
		if err != nil {
			return 0, err
		}
		for i := range ended {
			after = ended[i].ID
			r.Audio.DeleteMedia(ctx, &ended[i])
		}
		more = len(ended) == page
	}
	return r.rows(db.OwnedExtractions)(ctx, account)
}
