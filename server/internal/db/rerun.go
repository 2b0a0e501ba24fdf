package db

import (
	"context"
	"time"
)

// atOnce is the longest pause that counts as none. The queue looks for steps with a later
// start only every few seconds.
const atOnce = 10 * time.Millisecond

// RunAgain puts a step into the queue in place of a run, to be run after a pause. It
// reports false and does nothing if the run no longer holds its work: another process has
// taken the work over.
func (tx *Tx) RunAgain(ctx context.Context, w Work, step Step, pause time.Duration) (bool, error) {
	held, err := tx.Holds(ctx, w)
	if err != nil || !held {
		return false, err
	}
	if pause <= atOnce {
		err = tx.Enqueue(ctx, step)
	} else {
		err = tx.EnqueueAt(ctx, step, time.Now().Add(pause))
	}
	if err != nil {
		return false, err
	}
	return true, tx.Finish(ctx, w)
}
