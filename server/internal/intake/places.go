package intake

import (
	"context"
	"errors"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
)

// A plan limits how many recordings of an account are recognized at the same time, and
// how many more may wait: an account has a number of slots, and a number of places in
// total. A piece of work that needs recognition has one place, on the account of one of
// its jobs:
//
//   - If recognition is certain, the work takes the place when it is accepted. Without a
//     place the request is refused, and an item of a batch waits. Otherwise the work
//     takes the place on entering duration_check. While no job's account has a place, the
//     work waits without a place and without a step in the queue.
//   - It takes a slot when its chunks are cut, before the first chunk is recognized.
//   - It keeps both through faults and crashes, until the job ends. Then place and slot
//     pass to another job. The account of that job may then have one more than its plan
//     permits.
//
// A batch leaves the places for waiting to single requests. If the plan has several
// slots, the batch also leaves one slot to them: see limits.OfItems.
//
// Waiting work has no step in the queue, with or without a place. A transaction that
// releases a place or a slot of an account passes it to the account's oldest job, with
// jobs of batches last, and queues the step of that job. The limits of each job apply to
// it: jobs from before a change of the plan continue with the old limits.
//
// Every transaction locks the work and its jobs first, then places, then
// allowances.

// hasPlace reports whether an account may have one more place.
func hasPlace(used db.PlacesInUse, l db.Limits) bool {
	return l.ASRConcurrency == account.Unlimited || l.ASRWaiting == account.Unlimited ||
		used.Running+used.Waiting < l.ASRConcurrency+l.ASRWaiting
}

// HasSlot reports whether an account may have one more slot.
func HasSlot(used db.PlacesInUse, l db.Limits) bool {
	return l.ASRConcurrency == account.Unlimited || used.Running < l.ASRConcurrency
}

// LockPlaces locks the places of all accounts that have jobs on some work, and returns the jobs.
func LockPlaces(ctx context.Context, tx *db.Tx, e *db.Work) ([]db.Job, error) {
	jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	return jobs, tx.Places.Lock(ctx, accountsOf(jobs)...)
}

// FindPlace gives work a place of its first job whose account has one, unless the work already has
// a place. If there is none, the work waits without a place, and FindPlace reports false.
func FindPlace(ctx context.Context, tx *db.Tx, e *db.Work) (bool, error) {
	place, err := tx.Places.ByWork(ctx, e.ID)
	if err != nil || place.Taken() {
		return true, err
	}
	jobs, err := LockPlaces(ctx, tx, e)
	if err != nil {
		return false, err
	}
	for i := range jobs {
		used, err := tx.Places.InUse(ctx, jobs[i].Account)
		if err != nil {
			return false, err
		}
		if hasPlace(used, jobs[i].Limits) {
			return tx.Places.Take(ctx, &jobs[i])
		}
	}
	return false, tx.Places.StandOutside(ctx, e.ID)
}

// standsOutside reports whether a piece of work waits for a place.
func standsOutside(ctx context.Context, tx *db.Tx, e *db.Work) (bool, error) {
	if e.State != step.Queued {
		return false, nil
	}
	place, err := tx.Places.ByWork(ctx, e.ID)
	return place.State == db.Outside, err
}

// GetReady records that the chunks of some work are cut, and takes a slot for the work if
// one is free.
func GetReady(ctx context.Context, tx *db.Tx, e *db.Work) error {
	place, err := tx.Places.ByWork(ctx, e.ID)
	if err != nil {
		return err
	}
	if err := tx.Places.Lock(ctx, place.Account); err != nil {
		return err
	}
	if err := tx.Places.SetState(ctx, e.ID, db.Ready); err != nil {
		return err
	}
	return callReady(ctx, tx, place.Account)
}

// leavePlace passes the place of ended jobs to the oldest remaining job that may have the
// place. If there is no such job, leavePlace releases the place.
func leavePlace(ctx context.Context, tx *db.Tx, e *db.Work, ended []db.Job, over bool) error {
	place, err := tx.Places.ByWork(ctx, e.ID)
	if err == nil && place.State == db.Outside { // one of them may just have received a place
		if err := tx.Places.Lock(ctx, accountsOf(ended)...); err != nil {
			return err
		}
		place, err = tx.Places.ByWork(ctx, e.ID)
	}
	if err != nil || place == (db.Place{}) {
		return err
	}
	if place.Taken() && !slices.ContainsFunc(ended, func(c db.Job) bool { return c.ID == place.JobID }) {
		return nil
	}
	heir, err := heirOf(ctx, tx, e)
	switch {
	case err != nil:
		return err
	case place.Taken() && heir != nil:
		return passPlace(ctx, tx, place, heir)
	case place.Taken():
		return freePlace(ctx, tx, place)
	case heir != nil:
		return nil // the work waits for a place for the other jobs
	}
	return giveUp(ctx, tx, e, over)
}

// heirOf returns the oldest job of work that may have the work recognized, or nil if
// there is none.
func heirOf(ctx context.Context, tx *db.Tx, e *db.Work) (*db.Job, error) {
	jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
	if i := slices.IndexFunc(jobs, func(c db.Job) bool { return c.Limits.ASR }); i >= 0 {
		return &jobs[i], err
	}
	return nil, err
}

// passPlace gives a place to another job of the same work.
func passPlace(ctx context.Context, tx *db.Tx, place db.Place, heir *db.Job) error {
	if err := tx.Places.Lock(ctx, place.Account, heir.Account); err != nil {
		return err
	}
	if err := tx.Places.Pass(ctx, heir); err != nil {
		return err
	}
	return callNext(ctx, tx, place.Account, heir.Account)
}

// freePlace releases a place for another piece of work of its account.
func freePlace(ctx context.Context, tx *db.Tx, place db.Place) error {
	if err := tx.Places.Lock(ctx, place.Account); err != nil {
		return err
	}
	if err := tx.Places.Delete(ctx, place.WorkID); err != nil {
		return err
	}
	return callNext(ctx, tx, place.Account)
}

// giveUp ends the wait of work that waited for a place. The remaining jobs may not have
// the work recognized: the step tells them.
func giveUp(ctx context.Context, tx *db.Tx, e *db.Work, over bool) error {
	if err := tx.Places.Delete(ctx, e.ID); err != nil || over {
		return err
	}
	return tx.Queue.Enqueue(ctx, step.PrepareOf(e))
}

// callNext passes the free places and slots of accounts to the work that waits for them.
// The transaction has locked the places of the accounts.
func callNext(ctx context.Context, tx *db.Tx, accounts ...string) error {
	for _, account := range accounts {
		if err := callReady(ctx, tx, account); err != nil {
			return err
		}
		if err := callOutside(ctx, tx, account); err != nil {
			return err
		}
	}
	return nil
}

// callReady gives the free slots of an account to work with cut chunks.
func callReady(ctx context.Context, tx *db.Tx, account string) error {
	for {
		next, err := tx.Places.NextReady(ctx, account)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		used, err := tx.Places.InUse(ctx, account)
		if err != nil || !HasSlot(used, next.Limits) {
			return err
		}
		if err := tx.Places.SetState(ctx, next.WorkID, db.Running); err != nil {
			return err
		}
		if err := tx.Queue.Enqueue(ctx, step.Start{Work: next.WorkID}); err != nil {
			return err
		}
	}
}

// callOutside gives the free places of an account to work that waits for a place.
func callOutside(ctx context.Context, tx *db.Tx, account string) error {
	for {
		next, err := tx.Places.NextOutside(ctx, account)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		used, err := tx.Places.InUse(ctx, account)
		if err != nil || !hasPlace(used, next.Limits) {
			return err
		}
		taken, err := tx.Places.Take(ctx, next)
		if err != nil {
			return err
		}
		if !taken {
			continue // another account was faster
		}
		e, err := tx.Works.ByID(ctx, next.WorkID)
		if err != nil {
			return err
		}
		if err := tx.Queue.Enqueue(ctx, step.PrepareOf(e)); err != nil {
			return err
		}
	}
}
