package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
)

// Removals removes accounts with all their data. A Removals is safe for concurrent use.
type Removals struct {
	Store *db.Store
	Audio *audio.Files
	Log   *slog.Logger
	// Tables are the tables of all features, in the order in which rows are removed.
	Tables []tables.Table
	// ByFeature removes an account's data in a table, and returns the number of rows. It has a
	// function for each table whose feature removes the rows.
	ByFeature map[string]func(ctx context.Context, account string) (int64, error)
	// CancelJobs cancels the jobs of work that which returns in the transaction.
	CancelJobs func(ctx context.Context, work string, which func(context.Context, *db.Tx) ([]db.Job, error)) error
}

// Removed is how much of an account was removed: the rows of each table, and Contents.
type Removed map[string]int64

// Contents is the name in [Removed] for the contents of the library. A content counts once, with all
// its languages.
const Contents = "contents"

// removalRemembered is how long after a removal the sweep looks for rows that late requests have
// written: no upload pauses longer between two requests.
const removalRemembered = 25 * time.Hour

// Remove suspends an account, and removes it with all its data. The running jobs of the account
// are cancelled. Remove may be called again after an error, and then continues. The error is
// db.ErrNotFound if there is no such account.
func (r *Removals) Remove(ctx context.Context, account string) (Removed, error) {
	ctx = db.Unhurried(ctx)
	err := r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Removals.Begin(ctx, account) })
	if err != nil {
		return nil, err
	}
	return r.removeMarked(ctx, account)
}

// GoOn continues removals that have not ended, and removes rows that requests have written
// after the end of others. It tries all of them, and logs why one of them fails.
func (r *Removals) GoOn(ctx context.Context, now time.Time) error {
	ctx = db.Unhurried(ctx)
	marks, err := r.Store.Removals.All(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, mark := range marks {
		_, err := r.removeMarked(ctx, mark.Account)
		if err == nil && mark.EndedAt != nil && now.Sub(*mark.EndedAt) > removalRemembered {
			err = r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Removals.Forget(ctx, mark.Account) })
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && !errors.Is(err, db.ErrNotFound) { // the account was made again
			r.Log.ErrorContext(ctx, "an account is not removed yet", "account", mark.Account, "err", err)
			failed = errNotRemoved
		}
	}
	return failed
}

// errNotRemoved names no account: the queue keeps the errors of its steps longer than the account.
var errNotRemoved = errors.New("retention: an account is not removed yet: the log has the reason")

// removeMarked removes all data of a marked account. The error is db.ErrNotFound if the mark was
// removed.
func (r *Removals) removeMarked(ctx context.Context, account string) (Removed, error) {
	all := Removed{}
	// A running request may have written rows that a round has already passed.
	for more := true; more; {
		removed, err := r.round(ctx, account)
		more = len(removed) > 0
		for what, n := range removed {
			all[what] += n
		}
		if err != nil {
			return all, fmt.Errorf("retention: removing account %s: %w", account, err)
		}
	}
	return all, r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Removals.End(ctx, account) })
}

// part is a kind of an account's data.
type part struct {
	what   string
	remove func(ctx context.Context, account string) (int64, error)
}

// round removes everything once: first credentials and everything that starts work, then the
// work, then its results. The answer counts what was removed.
func (r *Removals) round(ctx context.Context, account string) (Removed, error) {
	removed := Removed{}
	for _, p := range slices.Concat(
		r.turn(tables.Access), r.turn(tables.Sources), []part{{"running jobs", r.running}, {Contents, r.contents}},
		r.turn(tables.Results), r.turn(tables.Counts), []part{{"steps", r.steps}},
	) {
		if err := r.stillMarked(ctx, account); err != nil {
			return removed, err
		}
		n, err := p.remove(ctx, account)
		if n > 0 {
			removed[p.what] += n
		}
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// turn returns the parts of a turn.
func (r *Removals) turn(turn tables.Turn) (parts []part) {
	for _, t := range r.Tables {
		if t.Removal != nil && t.Removal.Turn == turn {
			parts = append(parts, part{t.Name, r.remover(t)})
		}
	}
	return parts
}

// remover returns a function that removes an account's data in a table.
func (r *Removals) remover(t tables.Table) func(ctx context.Context, account string) (int64, error) {
	switch {
	case !t.Removal.ByFeature:
		return r.rows(t)
	case t.Name == "uploads":
		return r.uploads
	case t.Name == "recordings":
		return r.recordings
	case t.Name == "extractions":
		return func(ctx context.Context, account string) (int64, error) {
			if err := r.media(ctx, account); err != nil {
				return 0, err
			}
			return r.rows(t)(ctx, account)
		}
	}
	return r.ByFeature[t.Name]
}

// stillMarked returns db.ErrNotFound if the account was made again.
func (r *Removals) stillMarked(ctx context.Context, account string) error {
	return r.marked(ctx, account, func(context.Context, *db.Tx) error { return nil })
}

// marked runs fn in a transaction that has locked the mark of an account. The error is
// db.ErrNotFound if the account was made again.
func (r *Removals) marked(ctx context.Context, account string, fn func(context.Context, *db.Tx) error) error {
	return r.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Removals.Lock(ctx, account); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// rows returns a function that removes the rows of an account in a table.
func (r *Removals) rows(t tables.Table) func(context.Context, string) (int64, error) {
	return func(ctx context.Context, account string) (int64, error) {
		return r.untilNone(ctx, func(ctx context.Context, tx *db.Tx) (int64, error) {
			return tx.Removals.DeleteSome(ctx, t, account)
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

// uploads removes the uploads of an account. The pipeline has the files of uploads with an
// answer.
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
	return r.CancelJobs(ctx, job.WorkID, func(ctx context.Context, tx *db.Tx) ([]db.Job, error) {
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

// contents removes all contents from the library of an account.
func (r *Removals) contents(ctx context.Context, account string) (n int64, err error) {
	for {
		keys, err := r.Store.Library.Contents(ctx, account, tables.Some)
		if err != nil || len(keys) == 0 {
			return n, err
		}
		for _, key := range keys {
			var blobs []string
			err := r.marked(ctx, account, func(ctx context.Context, tx *db.Tx) (err error) {
				if err = tx.Library.Remove(ctx, account, key); err == nil {
					blobs, err = recordings.RemoveWithText(ctx, tx, account, key)
				}
				if errors.Is(err, db.ErrNotFound) { // another process is removing the same account
					err = nil
				}
				return err
			})
			if err != nil {
				return n, err
			}
			n++
			r.Audio.DeleteBlobs(ctx, blobs...)
		}
	}
}

// recordings removes the recordings that an account keeps. It counts their blobs.
func (r *Removals) recordings(ctx context.Context, account string) (n int64, err error) {
	for {
		var keys []string
		err := r.marked(ctx, account, func(ctx context.Context, tx *db.Tx) (err error) {
			keys, err = tx.Recordings.DeleteSome(ctx, account)
			return err
		})
		if err != nil || len(keys) == 0 {
			return n, err
		}
		n += int64(len(keys))
		r.Audio.DeleteBlobs(ctx, keys...)
	}
}

// media removes the remaining audio of the work that belonged to the account alone.
func (r *Removals) media(ctx context.Context, account string) error {
	for after, more := "", true; more; {
		ended, err := r.Store.Works.EndedOf(ctx, account, after, tables.Some)
		if err != nil {
			return err
		}
		for i := range ended {
			after = ended[i].ID
			r.Audio.DeleteMedia(ctx, &ended[i])
		}
		more = len(ended) == tables.Some
	}
	return nil
}
