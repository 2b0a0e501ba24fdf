package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
)

// Hooks are called at the end of jobs and batches, at least once each. A nil member is
// not called.
//
// The transaction that ends a job or a batch also queues the step that calls the hook,
// so that a crash loses no call. Every process queues these steps once any process has
// said that it has the hook: the steps wait for such a process. The database keeps this
// fact for as long as ended jobs are kept, so that calls also wait while no such
// process runs.
type Hooks struct {
	Job   func(ctx context.Context, account string, j *view.Job) error
	Batch func(ctx context.Context, account string, b *batch.Job) error
}

// set are the hooks that are not nil.
func (h Hooks) set() (all []db.Hook) {
	if h.Job != nil {
		all = append(all, db.JobHook)
	}
	if h.Batch != nil {
		all = append(all, db.BatchHook)
	}
	return all
}

const (
	// tellTimeout is how long a hook may take.
	tellTimeout = 30 * time.Second
	// A hook that fails is called again after a pause, which doubles each time.
	leastTellPause = time.Second
	mostTellPause  = 15 * time.Minute
	// hookEvery is the time between two notes that this process has hooks.
	hookEvery = time.Hour
	hookAgain = time.Second // after a failure
)

// tellJobArgs is the step that tells of the end of a job.
type tellJobArgs struct {
	Job    string `json:"job"`
	Failed int    `json:"failed,omitempty"` // calls that have failed
}

func (tellJobArgs) Kind() string  { return "tell_job" }
func (tellJobArgs) Queue() string { return queueJobHook }

// tellBatchArgs is the step that tells of the end of a batch.
type tellBatchArgs struct {
	Batch  string `json:"batch"`
	Failed int    `json:"failed,omitempty"`
}

func (tellBatchArgs) Kind() string  { return "tell_batch" }
func (tellBatchArgs) Queue() string { return queueBatchHook }

// keepHooks notes again and again that this process has hooks, until ctx ends.
func (p *Pipeline) keepHooks(ctx context.Context) {
	for pause := hookEvery; sleep(ctx, pause); {
		pause = hookEvery
		if err := p.setHooks(ctx); err != nil && ctx.Err() == nil {
			p.log.ErrorContext(ctx, "it was not noted that this process has hooks", "err", err)
			pause = hookAgain
		}
	}
}

func (p *Pipeline) setHooks(ctx context.Context) error {
	for _, h := range p.cfg.Hooks.set() {
		if err := p.store.SetHook(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// tellOfJobs queues the calls for jobs that end, if anybody is to be told.
func (p *Pipeline) tellOfJobs(ctx context.Context, tx *db.Tx, ended []db.Job) error {
	wanted, err := p.isHooked(ctx, tx, db.JobHook)
	if err != nil || !wanted {
		return err
	}
	for _, job := range ended {
		if err := tx.Enqueue(ctx, tellJobArgs{Job: job.ID}); err != nil {
			return err
		}
	}
	return nil
}

// tellOfBatch queues the call for a batch that ends, if anybody is to be told.
func (p *Pipeline) tellOfBatch(ctx context.Context, tx *db.Tx, b *db.Batch) error {
	wanted, err := p.isHooked(ctx, tx, db.BatchHook)
	if err != nil || !wanted {
		return err
	}
	return tx.Enqueue(ctx, tellBatchArgs{Batch: b.ID})
}

func (p *Pipeline) isHooked(ctx context.Context, tx *db.Tx, h db.Hook) (bool, error) {
	return tx.HasHook(ctx, h, time.Now().Add(-p.cfg.Retention.Jobs))
}

// tellOfJob calls the hook for a job. It makes no call for a job that is gone.
func (p *Pipeline) tellOfJob(ctx context.Context, w db.Work, step tellJobArgs) error {
	row, err := p.store.Jobs.ByID(ctx, step.Job)
	if errors.Is(err, db.ErrNotFound) {
		p.log.ErrorContext(ctx, "no process told the hook of the end of a job while the job was kept", "job", step.Job, "calls", step.Failed)
		return nil
	}
	if err != nil {
		return err
	}
	job, err := p.fill(ctx, row, nil)
	if err != nil {
		return err
	}
	step.Failed++
	return p.call(ctx, w, step, step.Failed, func() error { return p.cfg.Hooks.Job(ctx, row.Account, job) })
}

// tellOfEndedBatch calls the hook for a batch, unless it was retried meanwhile: then it
// ends again.
func (p *Pipeline) tellOfEndedBatch(ctx context.Context, w db.Work, step tellBatchArgs) error {
	row, err := p.store.Batches.ByID(ctx, step.Batch)
	if errors.Is(err, db.ErrNotFound) { // it was deleted
		return nil
	}
	if err != nil {
		return err
	}
	b, err := p.Batch(ctx, row.Account, row.ID)
	if err != nil || !b.Status.Terminal() {
		return err
	}
	step.Failed++
	return p.call(ctx, w, step, step.Failed, func() error { return p.cfg.Hooks.Batch(ctx, row.Account, b) })
}

// call calls a hook, and queues the step again where that fails for the nth time.
func (p *Pipeline) call(ctx context.Context, w db.Work, again db.Step, n int, hook func() error) error {
	err := fault.Guard(hook)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("pipeline: the service stops: %w", context.Canceled) // gives the step back (db.Runner)
	}
	pause := p.cfg.tellPause(n)
	p.log.ErrorContext(ctx, "a hook failed, and is called again", "hook", w.Kind, "args", string(w.Args), "calls", n, "pause", pause, "err", err)
	return p.store.InTx(context.WithoutCancel(ctx), func(ctx context.Context, tx *db.Tx) error {
		held, err := tx.Holds(ctx, w)
		if err != nil || !held {
			return err // another process calls it now
		}
		if err := tx.EnqueueAt(ctx, again, time.Now().Add(pause)); err != nil {
			return err
		}
		return tx.Finish(ctx, w)
	})
}

// tellPause is how long to wait after the nth call that has failed.
func tellPause(n int) time.Duration {
	if n > 10 { // 17 minutes
		return mostTellPause
	}
	return min(leastTellPause<<(n-1), mostTellPause)
}
