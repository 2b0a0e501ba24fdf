package follower

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/underway"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// TurnsAtOnce is how many accounts a process serves at the same time in each of the two
	// queues.
	TurnsAtOnce = 16
	// looksAtOnce is how many checks of an account run at the same time in each line.
	looksAtOnce = 4
	// turn is how long an account checks its sources before others have their turn. Checks
	// that have begun end first.
	turn = 2 * time.Second
	// again is the pause before another attempt at a line whose hosts are busy.
	again = cluster.ElsewherePause
)

// looker checks sources, in the turns of the accounts that follow them. A looker is safe for
// concurrent use.
type looker struct {
	*Config
	pace       *rate.Limiter     // of checks, so that many due sources do not cause a burst
	hosts      map[string]*hosts // the hosts that this process is checking, by queue
	largeFeeds *underway.Line
}

// takeTurn checks due sources of a line, for at most one turn. Then it makes the next step of
// the line, if there are more sources to check.
func (lk *looker) takeTurn(ctx context.Context, run queue.Row, step Step) error {
	until := time.Now().Add(turn)
	found := false
	looked := -1
	for looked != 0 && time.Now().Before(until) {
		if ctx.Err() != nil {
			return fmt.Errorf("follows: the service stops: %w", context.Canceled) // puts the step back into the queue (queue.Runner)
		}
		n, news, err := lk.lookSome(ctx, step)
		if err != nil {
			return err
		}
		looked, found = n, found || news
	}
	return lk.Store.InTx(context.WithoutCancel(ctx), func(ctx context.Context, tx *db.Tx) error {
		if found {
			if err := tx.Queue.Enqueue(ctx, Step{}); err != nil { // submits the found items
				return err
			}
		}
		return lk.endTurn(ctx, tx, run, step, looked == 0)
	})
}

// lookSome checks the next sources of a line, and returns their number and whether a check
// has found new items.
func (lk *looker) lookSome(ctx context.Context, step Step) (n int, news bool, err error) {
	if counts, err := lk.Store.SQL().Reader().NewSelect().Model((*line)(nil)).
		Where("account = ? AND slow = ? AND step = ?", step.Account, step.Slow, step.Number).Exists(ctx); err != nil || !counts {
		return 0, false, sqldb.Wrap("line of follows", err)
	}
	hosts := lk.hosts[step.Queue()]
	// This process leaves lists to others if it cannot read them.
	feedsOnly := step.Slow && lk.Cluster.OnlyOthers(ctx, func(t cluster.Team) bool { return t.Lists(transcript.VideoSite) })
	places, err := lk.nextLooks(ctx, step, looksAtOnce, hosts.busy(step.Account), feedsOnly)
	if err != nil {
		return 0, false, err
	}
	var ids []string
	for _, q := range places {
		if hosts.begin(step.Account, q.Host) {
			defer hosts.end(step.Account, q.Host)
			ids = append(ids, q.SourceID)
		}
	}
	if len(ids) == 0 {
		return 0, false, nil
	}
	now, err := lk.Now(ctx)
	if err != nil {
		return 0, false, err
	}
	sources, err := claim(ctx, lk.Store, ids, now)
	if err != nil {
		return 0, false, err
	}
	var fresh atomic.Bool
	err = some(ctx, looksAtOnce, sources, func(ctx context.Context, s source) error {
		found, err := lk.look(ctx, step, &s)
		if found {
			fresh.Store(true)
		}
		return err
	})
	return len(ids), fresh.Load(), err
}

// endTurn ends a run, and plans the next step of the line if checks wait. waits says that none of
// them could begin now.
func (lk *looker) endTurn(ctx context.Context, tx *db.Tx, run queue.Row, step Step, waits bool) error {
	l := &line{Account: step.Account, Slow: step.Slow}
	err := lockLine(ctx, tx, l)
	if errors.Is(err, db.ErrNotFound) || err == nil && l.Step != step.Number { // another step has the work
		return nil
	}
	if err != nil {
		return err
	}
	more, err := tx.SQL().NewSelect().Model((*queued)(nil)).Where("account = ? AND slow = ? AND due_at IS NOT NULL", step.Account, step.Slow).Exists(ctx)
	if err != nil {
		return sqldb.Wrap("looks of a line", err)
	}
	held, err := tx.Queue.Holds(ctx, run)
	if err != nil || !held {
		return err
	}
	now, err := lk.Now(ctx)
	if err != nil {
		return err
	}
	switch {
	case !more:
		l.StepAt = nil
		err = saveLine(ctx, tx, l)
	case waits:
		err = l.plan(ctx, tx, now, now.Add(again))
	default:
		err = l.plan(ctx, tx, now, now)
	}
	if err != nil {
		return err
	}
	return tx.Queue.Finish(ctx, run)
}
