package blobs

import (
	"context"
	"errors"
	"time"
)

// errStalled ends a call that a bucket has not answered within its patience.
var errStalled = errors.New("it has not answered in time")

// watch ends a context by errStalled when the bucket works for longer than its patience
// without taking or giving a byte.
type watch struct {
	timer    *time.Timer
	patience time.Duration
}

// watch returns a watch whose time does not run yet.
func (b *Bucket) watch(abandon context.CancelCauseFunc) *watch {
	w := &watch{time.AfterFunc(b.patience, func() { abandon(errStalled) }), b.patience}
	w.end()
	return w
}

// begin lets the bucket's time run until the caller calls end.
func (w *watch) begin() (end func()) {
	w.timer.Reset(w.patience)
	return w.end
}

func (w *watch) end() { w.timer.Stop() }

// inTime bounds a short question to the bucket.
func (b *Bucket) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, b.patience, errStalled)
}

// stalled is errStalled if ctx has ended by errStalled, else err.
func stalled(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		return errStalled
	}
	return err
}
