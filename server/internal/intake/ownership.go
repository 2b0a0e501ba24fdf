package intake

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
)

// The pauses of a step that waits for its database.
const (
	leastPause   = 100 * time.Millisecond
	mostOwnPause = 2 * time.Second
)

// ErrTakenOver ends a step that another process now runs, because this process was considered
// dead.
var ErrTakenOver = errors.New("intake: another process has taken this work over")

// Own runs fn in a transaction that has locked the work of a step. It returns
// ErrTakenOver if another process now runs the step, and attempt.ErrUnwanted if the work
// has ended or advanced. A step writes only through Own. No other process can take the
// step over before the transaction ends, and a process that has lost the step cannot
// write.
//
// While the database is not available, Own tries again until ctx ends, because the results
// of a step may have taken minutes. Own also repeats a transaction if its commit got no
// answer, so fn must be safe to run twice.
func (c *Moves) Own(ctx context.Context, t step.Held, fn Change) error {
	for pause := leastPause; ; pause = min(2*pause, mostOwnPause) {
		err := c.OwnNow(ctx, t, fn)
		if !errors.Is(err, db.ErrUnavailable) || !attempt.Sleep(ctx, pause) {
			return err
		}
	}
}

// OwnNow is Own, but does not wait for the database.
func (c *Moves) OwnNow(ctx context.Context, t step.Held, fn Change) error {
	return c.Change(ctx, t.Work, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		if e == nil {
			return attempt.ErrUnwanted
		}
		held, err := tx.Queue.Holds(ctx, t.Row)
		switch {
		case err != nil:
			return err
		case !held:
			return ErrTakenOver
		case !slices.Contains(step.Way(t.Row.Kind), e.State):
			return attempt.ErrUnwanted
		}
		return fn(ctx, tx, e)
	})
}

// OwnWanted is Own, but returns attempt.ErrUnwanted if fn has ended the work, so that the
// step has nothing more to do.
func (c *Moves) OwnWanted(ctx context.Context, t step.Held, fn Change) error {
	var e *db.Work
	err := c.Own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Work) error {
		e = locked
		return fn(ctx, tx, e)
	})
	if err == nil && e.State.Status.Terminal() {
		return attempt.ErrUnwanted
	}
	return err
}
