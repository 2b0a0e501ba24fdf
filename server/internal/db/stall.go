package db

import (
	"context"
	"errors"
	"time"
)

// errStalled ends what a bucket has not done within its patience.
var errStalled = errors.New("it has not answered in time")

// watch ends a context by errStalled when the bucket is at work for longer than its
// patience without taking or giving a byte.
type watch struct {
	timer    *time.Timer
	patience time.Duration
}

// watch returns one that does not run yet.
func (b *bucket) watch(abandon context.CancelCauseFunc) *watch {
	w := &watch{time.AfterFunc(b.patience, func() { abandon(errStalled) }), b.patience}
	w.end()
	return w
}

// begin is called when it is the bucket's turn, and what it returns when that is over.
func (w *watch) begin() (end func()) {
	w.timer.Reset(w.patience)
	return w.end
}

func (w *watch) end() { w.timer.Stop() }

// inTime bounds a short question.
func (b *bucket) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, b.patience, errStalled)
}

// stalled is err, or errStalled where that is why ctx ended.
func stalled(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		return errStalled
	}
	return err
}
