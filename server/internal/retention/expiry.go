package retention

import (
	"context"
	"errors"
	"time"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/server/internal/work"
)

// Expiry removes data that the plans of accounts no longer keep. An Expiry is safe for
// concurrent use.
type Expiry struct {
	Store  *db.Store
	Audio  *audio.Files
	Keep   work.Retention
	PlanOf func(ctx context.Context, account string) account.Plan
}

// Expired is how much data of an account the next sweep removes.
type Expired struct {
	Account, Plan string
	Count
}

// terms returns the terms of a plan at a time.
func (x *Expiry) terms(plan account.Plan, now time.Time) terms {
	t := terms{Jobs: now.Add(-x.Keep.Jobs)}
	if plan.KeepLibrary > 0 {
		t.Entries = now.Add(-plan.KeepLibrary)
	}
	if plan.KeepJobs > 0 { // an answer for an idempotency key may name a job
		t.Jobs = now.Add(-min(x.Keep.Jobs, max(plan.KeepJobs, x.Keep.Answers)))
	}
	return t
}

// Sweep removes data that the plans of all accounts no longer keep. It leaves out an account whose
// plan cannot be read now.
func (x *Expiry) Sweep(ctx context.Context, now time.Time) error {
	ctx = db.Unhurried(ctx)
	accounts, err := x.Store.Accounts.All(ctx)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		plan := x.PlanOf(ctx, a.ID)
		if plan.KeepLibrary > 0 {
			err = x.sweepLibrary(ctx, a.ID, x.terms(plan, now))
		}
		if err == nil && plan.KeepJobs > 0 {
			err = sweepJobs(ctx, x.Store, a.ID, x.terms(plan, now).Jobs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sweepLibrary removes the expired entries of a library, each in a transaction.
func (x *Expiry) sweepLibrary(ctx context.Context, account string, t terms) error {
	for {
		rows, err := entries(ctx, x.Store, account, t)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			var blobs []string
			err := x.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
				if err = remove(ctx, tx, account, row); err == nil {
					blobs, err = recordings.RemoveWithText(ctx, tx, account, library.Key{Platform: row.Platform, ExternalID: row.ExternalID})
				}
				return err
			})
			if err != nil && !errors.Is(err, db.ErrNotFound) { // the account was faster
				return err
			}
			x.Audio.DeleteBlobs(ctx, blobs...)
		}
	}
}

// Report counts what the next sweep removes from each account, by name, and changes nothing. It
// leaves out an account that loses nothing.
func (x *Expiry) Report(ctx context.Context, now time.Time) (all []Expired, err error) {
	ctx = db.Unhurried(ctx)
	accounts, err := x.Store.Accounts.All(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		plan := x.PlanOf(ctx, a.ID)
		n, err := count(ctx, x.Store, a.ID, x.terms(plan, now))
		if err != nil {
			return nil, err
		}
		if n != (Count{}) {
			all = append(all, Expired{a.ID, plan.Name, n})
		}
	}
	return all, nil
}
