package sqldb

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/outage"
)

// gate is the line before a pool of connections. A caller waits in it for as long as the
// database answers others, however many they are. When the database answers nobody, all
// callers give up at the same time, and not one after another.
type gate struct {
	slots    chan struct{}
	answered atomic.Pointer[time.Time]
}

func newGate(conns int) *gate { return &gate{slots: make(chan struct{}, conns)} }

// enter waits for a free connection. The returned context ends when the database has
// taken too long, and bounds every call with it. The caller must call leave with the
// error of its calls.
func (g *gate) enter(ctx context.Context) (_ context.Context, leave func(error), err error) {
	began, patience := time.Now(), patienceOf(ctx)
	if patience == within {
		return ctx, func(error) {}, nil
	}
	if err := g.wait(ctx, began, patience); err != nil {
		return ctx, nil, err
	}
	ctx, cancel := context.WithDeadline(unbounded(ctx), g.quietSince(began).Add(patience))
	return ctx, func(err error) {
		answered := ctx.Err() == nil && !passes(err)
		cancel()
		g.leave(answered)
	}, nil
}

// enterBriefly is enter for what ends by itself, and soon: nothing bounds it.
func (g *gate) enterBriefly(ctx context.Context) (leave func(error), err error) {
	patience := patienceOf(ctx)
	if patience == within {
		return func(error) {}, nil
	}
	if err := g.wait(ctx, time.Now(), patience); err != nil {
		return nil, err
	}
	return func(err error) { g.leave(!passes(err)) }, nil
}

// leave gives the connection back, and tells whether the database has answered.
func (g *gate) leave(answered bool) {
	if answered {
		now := time.Now()
		g.answered.Store(&now)
	}
	<-g.slots
}

func (g *gate) wait(ctx context.Context, began time.Time, patience time.Duration) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case g.slots <- struct{}{}:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("waiting for a connection: %w", ctx.Err())
		case <-timer.C:
		}
		left := time.Until(g.quietSince(began).Add(patience))
		if left <= 0 {
			return fmt.Errorf("%w: no connection was free in %s", outage.ErrUnavailable, patience)
		}
		timer.Reset(left)
	}
}

// quietSince is when the database last answered, or began if that is later.
func (g *gate) quietSince(began time.Time) time.Time {
	if at := g.answered.Load(); at != nil && at.After(began) {
		return *at
	}
	return began
}
