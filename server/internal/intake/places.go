package intake

import (
	"context"
	"errors"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
)

// A plan bounds how many recordings of an account are recognized at once, and how many
// more wait: an account has so many slots, and so many places in all. An extraction
// that is to be recognized has one place, on the account of one claim on it:
//
//   - If recognition is certain, the extraction takes the place when it is accepted.
//     Without a place the request is refused, and an item of a batch waits. Otherwise
//     the extraction takes the place on entering duration_check. While no claim's
//     account has a place, the extraction stands outside, back in the queue.
//   - It takes a slot when its chunks are cut, before the first is recognized.
//   - It keeps both through faults and crashes, until the claim ends. Then place and
//     slot pass to another claim. The account of that claim may then have one more
//     than its plan permits.
//
// A batch leaves the places that are for waiting to single requests. If the plan has
// several slots, the batch also leaves one slot to them: see limits.OfItems.
//
// Waiting work, inside or outside, has no step in the queue. A transaction that gives
// up a place or a slot of an account hands it to the account's oldest claim, claims of
// batches last, and queues the step of that claim. Each claim is judged by its own
// limits: claims from before a change of the plan go on as promised.
//
// Every transaction locks the extraction and its claims first, then places, then
// allowances.

// hasPlace tells that an account may have one place more.
func hasPlace(used db.PlacesInUse, l db.Limits) bool {
	return l.ASRConcurrency == account.Unlimited || l.ASRWaiting == account.Unlimited ||
		used.Running+used.Waiting < l.ASRConcurrency+l.ASRWaiting
}

// HasSlot tells that an account may have one slot more.
func HasSlot(used db.PlacesInUse, l db.Limits) bool {
	return l.ASRConcurrency == account.Unlimited || used.Running < l.ASRConcurrency
}

// LockPlaces locks the places of all accounts that have jobs on some work, and returns the jobs.
func LockPlaces(ctx context.Context, tx *db.Tx, e *db.Extraction) ([]db.Job, error) {
	claims, err := tx.Jobs.LockRunning(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	return claims, tx.Places.Lock(ctx, accountsOf(claims)...)
}

// FindPlace gives work a place of the first of its jobs whose account has one, unless the work has a
// place already. Without any the work stands outside, and FindPlace reports false.
func FindPlace(ctx context.Context, tx *db.Tx, e *db.Extraction) (bool, error) {
	place, err := tx.Places.ByExtraction(ctx, e.ID)
	if err != nil || place.Taken() {
		return true, err
	}
	claims, err := LockPlaces(ctx, tx, e)
	if err != nil {
		return false, err
	}
	for i := range claims {
		used, err := tx.Places.InUse(ctx, claims[i].Account)
		if err != nil {
			return false, err
		}
		if hasPlace(used, claims[i].Limits) {
			return tx.Places.Take(ctx, &claims[i])
		}
	}
	return false, tx.Places.StandOutside(ctx, e.ID)
}

// standsOutside tells that an extraction waits for a place.
func standsOutside(ctx context.Context, tx *db.Tx, e *db.Extraction) (bool, error) {
	if e.State != step.Queued {
		return false, nil
	}
	place, err := tx.Places.ByExtraction(ctx, e.ID)
	return place.State == db.Outside, err
}

// GetReady notes that the chunks of some work are cut, and takes a slot for the work where
// there is one.
func GetReady(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
	place, err := tx.Places.ByExtraction(ctx, e.ID)
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

// leavePlace passes the place of ended claims to the oldest remaining claim that may
// have the place. If there is no such claim, leavePlace gives the place up.
func leavePlace(ctx context.Context, tx *db.Tx, e *db.Extraction, ended []db.Job, over bool) error {
	place, err := tx.Places.ByExtraction(ctx, e.ID)
	if err == nil && place.State == db.Outside { // one of them may just be given a place
		if err := tx.Places.Lock(ctx, accountsOf(ended)...); err != nil {
			return err
		}
		place, err = tx.Places.ByExtraction(ctx, e.ID)
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
		return nil // the place stands outside for the other claims
	}
	return giveUp(ctx, tx, e, over)
}

// heirOf is the oldest claim on an extraction that may have it recognized; nil: there
// is none.
func heirOf(ctx context.Context, tx *db.Tx, e *db.Extraction) (*db.Job, error) {
	claims, err := tx.Jobs.LockRunning(ctx, e.ID)
	if i := slices.IndexFunc(claims, func(c db.Job) bool { return c.Limits.ASR }); i >= 0 {
		return &claims[i], err
	}
	return nil, err
}

// passPlace gives a place to another claim on the same extraction.
func passPlace(ctx context.Context, tx *db.Tx, place db.Place, heir *db.Job) error {
	if err := tx.Places.Lock(ctx, place.Account, heir.Account); err != nil {
		return err
	}
	if err := tx.Places.Pass(ctx, heir); err != nil {
		return err
	}
	return callNext(ctx, tx, place.Account, heir.Account)
}

// freePlace gives a place up, to another extraction of its account.
func freePlace(ctx context.Context, tx *db.Tx, place db.Place) error {
	if err := tx.Places.Lock(ctx, place.Account); err != nil {
		return err
	}
	if err := tx.Places.Delete(ctx, place.ExtractionID); err != nil {
		return err
	}
	return callNext(ctx, tx, place.Account)
}

// giveUp ends the wait of an extraction that stood outside. Claims that are left may
// not have it recognized: the step tells them.
func giveUp(ctx context.Context, tx *db.Tx, e *db.Extraction, over bool) error {
	if err := tx.Places.Delete(ctx, e.ID); err != nil || over {
		return err
	}
	return tx.Queue.Enqueue(ctx, step.PrepareOf(e))
}

// callNext hands what accounts have free to those who wait for it. The transaction has
// locked their places.
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

// callReady gives the free slots of an account to those whose chunks are cut.
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
		if err := tx.Places.SetState(ctx, next.ExtractionID, db.Running); err != nil {
			return err
		}
		if err := tx.Queue.Enqueue(ctx, step.Start{Extraction: next.ExtractionID}); err != nil {
			return err
		}
	}
}

// callOutside gives the free places of an account to those who stand outside.
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
		e, err := tx.Extractions.ByID(ctx, next.ExtractionID)
		if err != nil {
			return err
		}
		if err := tx.Queue.Enqueue(ctx, step.PrepareOf(e)); err != nil {
			return err
		}
	}
}
