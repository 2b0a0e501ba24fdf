package blobs

import (
	"context"
	"errors"
	"time"
)

// errStalled ends a call that a bucket does not answer in time.
var errStalled = errors.New("it has not answered in time")

// watch ends a context by errStalled when the bucket neither accepts nor returns a byte
// for longer than its patience.
type watch struct {
	timer    *time.Timer
	patience time.Duration
}

// watch returns a watch whose time has not started.
func (b *Bucket) watch(abandon context.CancelCauseFunc) *watch {
	w := &watch{time.AfterFunc(b.patience, func() { abandon(errStalled) }), b.patience}
	w.end()
	return w
}

// begin starts the bucket's time. The caller stops it with end.
func (w *watch) begin() (end func()) {
	w.timer.Reset(w.patience)
	return w.end
}

func (w *watch) end() { w.timer.Stop() }

// inTime limits the time of a short request to the bucket.
func (b *Bucket) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, b.patience, errStalled)
}

// stalled returns errStalled if ctx has ended by errStalled, and otherwise err.
func stalled(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		return errStalled
	}
	return err
}
