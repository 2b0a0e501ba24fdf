package follower

import (
	"context"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// The queues. Checks have two queues, and slow checks use the second one.
const (
	Queue          = "follows"
	LooksQueue     = "follow_looks"
	SlowLooksQueue = "follow_looks_slow"
)

// Timeout limits a run of a step.
const Timeout = 5 * time.Minute

// Step puts due sources into the lines of accounts and submits new items. With an account, it
// checks the sources in a line of the account.
type Step struct {
	Account string `json:"account,omitempty"`
	Slow    bool   `json:"slow,omitempty"` // the slow line of the account
	// Number is the number of the line's step. A step with another number has nothing to do.
	Number int64 `json:"number,omitempty"`
}

// Kind names the worker.
func (Step) Kind() string { return "follows" }

// Queue names the queue.
func (s Step) Queue() string {
	switch {
	case s.Account == "":
		return Queue
	case s.Slow:
		return SlowLooksQueue
	}
	return LooksQueue
}

const (
	takesAtOnce = 2
	taken       = 32 // follows at a time
)

// Work runs a step, until nothing is due or others have their turn. It may run several times
// at the same time, also in several processes.
func (fs *Follows) Work(ctx context.Context, run queue.Row, step Step) error {
	ctx = db.Unhurried(ctx)
	do := fs.work
	if step.Account != "" {
		do = func(ctx context.Context) error { return fs.looker.takeTurn(ctx, run, step) }
	}
	err := do(ctx)
	if err != nil && ctx.Err() == nil {
		fs.cfg.Log.ErrorContext(ctx, "looking at followed addresses failed, and is tried again", "err", err)
	}
	return err
}

func (fs *Follows) work(ctx context.Context) error {
	until := time.Now().Add(Timeout / 2) // the next step continues
	for time.Now().Before(until) {
		now, err := fs.cfg.Now(ctx)
		if err != nil {
			return err
		}
		spread := func() time.Time { return now.Add(rand.N(fs.cfg.Every)) }
		if err := planAgain(ctx, fs.cfg.Store, now, spread); err != nil {
			return err
		}
		due, err := fs.looker.queueDue(ctx, now)
		if err != nil {
			return err
		}
		ready, err := fs.taker.due(ctx, now, taken)
		if err != nil {
			return err
		}
		if err := some(ctx, takesAtOnce, ready, fs.taker.take); err != nil {
			return err
		}
		if due == 0 && len(ready) == 0 {
			return nil
		}
	}
	return nil
}

// some calls do for all values, several at the same time. It stops at the first error.
func some[T any](ctx context.Context, n int, all []T, do func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(n)
	for _, v := range all {
		group.Go(func() error { return do(ctx, v) })
	}
	return group.Wait()
}
