package delivery

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// outbox writes deliveries and plans the steps that send them, in transactions that have locked the
// endpoint. Both accounts and attempts make deliveries pending, so Store and Sender share one.
type outbox struct {
	cfg Config
	db  *db.Store
	log *slog.Logger
}

// now is the time for which deliveries are planned.
func (o *outbox) now(ctx context.Context) (time.Time, error) { return o.cfg.Now(ctx) }

// onStep runs fn in a transaction that has locked the endpoint of a step. If the step has nothing
// more to do, held is false, and the results of an earlier run of fn were rolled back.
func (o *outbox) onStep(ctx context.Context, step Step, fn func(ctx context.Context, tx *db.Tx, e *endpoint) error) (held bool, err error) {
	err = o.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		e, err := lockFor(ctx, tx, step)
		if held = e != nil; err != nil || !held {
			return err
		}
		return fn(ctx, tx, e)
	})
	return held, err
}

// lockFor locks and returns the endpoint of a step. It returns nil if the endpoint is deleted, or
// if another step has the work.
func lockFor(ctx context.Context, tx *db.Tx, step Step) (*endpoint, error) {
	e := new(endpoint)
	err := tx.SQL().ForUpdate(tx.SQL().NewSelect().Model(e).Where("w.id = ? AND w.step = ?", step.Endpoint, step.Number)).Scan(ctx)
	if err = one("webhook "+step.Endpoint, err); errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	return e, err
}

// wake makes sure that a step handles a locked endpoint at a time, or earlier.
func (o *outbox) wake(ctx context.Context, tx *db.Tx, e *endpoint, now, at time.Time) error {
	if e.NotBefore != nil && at.Before(*e.NotBefore) {
		at = *e.NotBefore
	}
	if e.StepAt != nil && !e.StepAt.After(at) {
		return nil
	}
	return o.plan(ctx, tx, e, now, at)
}

// plan makes a new step for a locked endpoint. The previous step then has no work.
func (o *outbox) plan(ctx context.Context, tx *db.Tx, e *endpoint, now, at time.Time) error {
	e.Step, e.StepAt = e.Step+1, new(sqldb.Moment(at))
	if _, err := tx.SQL().NewUpdate().Model(e).Column("step", "step_at").WherePK().Exec(ctx); err != nil {
		return sqldb.Wrap("plan deliveries", err)
	}
	step := Step{Endpoint: e.ID, Number: e.Step, Slow: e.Slow || e.Failures > 0}
	if pause := min(at.Sub(now), o.cfg.Look); pause > 0 {
		return tx.Queue.EnqueueAt(ctx, step, time.Now().Add(pause))
	}
	return tx.Queue.EnqueueFor(ctx, step, queue.One(e.Account)) // the accounts take turns
}
