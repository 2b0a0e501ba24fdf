package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// releaseTimeout limits the last writes of a step when the service stops.
const releaseTimeout = 10 * time.Second

// rescue takes over lost work: the work of processes that have died, and work that is
// missing from every queue.
type rescue struct {
	Config
	life *cluster.Life
}

// watchOver takes over the work of dead processes, and work that this process was given
// but did not receive.
func (r *rescue) watchOver(ctx context.Context) {
	var seen cluster.Census
	for attempt.Sleep(ctx, cluster.LookEvery) {
		if err := r.lookAround(ctx, &seen); err != nil && ctx.Err() == nil {
			r.Log.ErrorContext(ctx, "looking for lost work failed", "err", err)
		}
	}
}

func (r *rescue) lookAround(ctx context.Context, seen *cluster.Census) error {
	unheard, err := r.life.Runner().Unheard(ctx)
	err = errors.Join(err, r.takeUp(ctx, unheard, false))
	if !r.Store.Shared() {
		return err
	}
	processes, e := r.Store.Queue.Processes(ctx)
	if e != nil {
		return errors.Join(err, e)
	}
	if !r.life.Among(processes) {
		return err // the steps of this process seem lost, and its own workers would take them again
	}
	err = errors.Join(err, r.bury(ctx, seen.Dead(processes)))
	return errors.Join(err, r.takeUpLost(ctx))
}

// watchSessions takes over the work of processes that have just ended, which PostgreSQL notices at
// once.
func (r *rescue) watchSessions(ctx context.Context) {
	var seen cluster.Glances
	for r.Store.Shared() && attempt.Sleep(ctx, seen.Pause()) {
		if err := r.glance(ctx, &seen); err != nil && ctx.Err() == nil {
			r.Log.ErrorContext(ctx, "looking for processes that have ended failed", "err", err)
		}
	}
}

func (r *rescue) glance(ctx context.Context, seen *cluster.Glances) error {
	processes, err := r.Store.Queue.Processes(ctx)
	if err != nil || !r.life.Among(processes) {
		return err // as in lookAround
	}
	ended, err := r.Store.Queue.EndedProcesses(ctx, processes)
	if err != nil {
		return err
	}
	dead := seen.Dead(ended)
	if len(dead) == 0 {
		return nil
	}
	return errors.Join(r.bury(ctx, dead), r.takeUpLost(ctx))
}

// bury declares processes dead.
func (r *rescue) bury(ctx context.Context, dead []queue.Process) (err error) {
	for _, process := range dead {
		buried, e := r.Store.Queue.Bury(ctx, process)
		err = errors.Join(err, e)
		if buried {
			r.Log.WarnContext(ctx, "a process is taken for dead", "process", process.ID)
		}
	}
	return err
}

// buryAll declares all other processes dead, because only one process serves on SQLite.
func (r *rescue) buryAll(ctx context.Context) error {
	others, err := r.Store.Queue.Processes(ctx)
	for _, other := range others {
		_, e := r.Store.Queue.Bury(ctx, other)
		err = errors.Join(err, e)
	}
	return err
}

// takeUpLost takes up the work of processes that are not among the living.
func (r *rescue) takeUpLost(ctx context.Context) error {
	lost, err := r.Store.Queue.Lost(ctx)
	return errors.Join(err, r.takeUp(ctx, lost, true))
}

// takeUp puts lost work into the queue again, one piece of work at a time. counts says
// that the work may have ended its process, so that the attempt counts.
func (r *rescue) takeUp(ctx context.Context, lost []queue.Row, counts bool) (err error) {
	var works []string
	work := map[string][]queue.Row{}
	for _, w := range lost {
		var args struct {
			Work string `json:"extraction"` // "" for the sweep, and for what readers ask
		}
		if e := json.Unmarshal(w.Args, &args); e != nil {
			err = errors.Join(err, e)
			continue
		}
		if work[args.Work] == nil {
			works = append(works, args.Work)
		}
		work[args.Work] = append(work[args.Work], w)
	}
	for _, id := range works {
		err = errors.Join(err, r.takeOver(ctx, id, work[id], counts))
	}
	return err
}

// takeOver puts the lost work of one piece of work into the queue again. counts as for
// takeUp.
func (r *rescue) takeOver(ctx context.Context, work string, lost []queue.Row, counts bool) error {
	var taken []queue.Row
	err := r.Moves.Change(ctx, work, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		taken = nil
		for _, w := range lost {
			ours, err := tx.Queue.Requeue(ctx, w)
			if err != nil {
				return err
			}
			if ours {
				taken = append(taken, w)
			}
		}
		if e == nil || len(taken) == 0 || !counts {
			return nil
		}
		return r.Moves.TakeBack(ctx, tx, e, taken, true)
	})
	if err != nil {
		return fmt.Errorf("work: taking over work: %w", err)
	}
	for _, w := range taken {
		r.Metrics.WorkRescued()
		r.Log.WarnContext(ctx, "lost work is taken up again", "extraction", work, "step", w.Kind)
	}
	return nil
}
