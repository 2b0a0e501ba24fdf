package follows

import (
	"context"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Queue is the queue of the step.
const Queue = "follows"

// Timeout bounds a run of the step.
const Timeout = 5 * time.Minute

// Step is the step that looks at due sources and submits new items.
type Step struct{}

// Kind names the worker.
func (Step) Kind() string { return "follows" }

// Queue names the line.
func (Step) Queue() string { return Queue }

const (
	looksAtOnce = 8
	takesAtOnce = 2
	claimed     = 32 // sources at a time
	taken       = 32 // follows at a time
)

// Work looks at due sources and submits new items, until nothing is due. It may run
// several times at once, also in several processes.
func (fs *Follows) Work(ctx context.Context, _ db.Work, _ Step) error {
	err := fs.work(db.Unhurried(ctx))
	if err != nil && ctx.Err() == nil {
		fs.log.ErrorContext(ctx, "looking at followed addresses failed, and is tried again", "err", err)
	}
	return err
}

func (fs *Follows) work(ctx context.Context) error {
	until := time.Now().Add(Timeout / 2) // the next step goes on
	for time.Now().Before(until) {
		now, err := fs.now(ctx)
		if err != nil {
			return err
		}
		spread := func() time.Time { return now.Add(rand.N(fs.cfg.Every)) }
		if err := planAgain(ctx, fs.store, now, spread); err != nil {
			return err
		}
		due, err := claimDue(ctx, fs.store, now, claimed, fs.feedsOnly(ctx))
		if err != nil {
			return err
		}
		if err := some(ctx, looksAtOnce, due, func(ctx context.Context, s source) error { return fs.look(ctx, &s) }); err != nil {
			return err
		}
		ready, err := fs.dueFollows(ctx, now, taken)
		if err != nil {
			return err
		}
		if err := some(ctx, takesAtOnce, ready, fs.take); err != nil {
			return err
		}
		if len(due) == 0 && len(ready) == 0 {
			return nil
		}
	}
	return nil
}

// feedsOnly tells that this process cannot read lists, and another one can.
func (fs *Follows) feedsOnly(ctx context.Context) bool {
	return fs.cfg.Cluster.OnlyOthers(ctx, func(t cluster.Team) bool { return t.Lists(transcript.VideoSite) })
}

// some calls do for all values, some at once. The first error ends it.
func some[T any](ctx context.Context, n int, all []T, do func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(n)
	for _, v := range all {
		group.Go(func() error { return do(ctx, v) })
	}
	return group.Wait()
}
