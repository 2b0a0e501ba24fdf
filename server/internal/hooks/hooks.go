// Package hooks calls the functions of an embedding program at the end of jobs and batches and for
// failing follows, at least once each.
package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
)

// Hooks are called at the end of jobs and batches, and when a follow fails, at least once each. A nil member is
// not called.
//
// The transaction that ends a job or a batch also queues the step that calls the hook, so
// that a crash loses no call. Every process queues these steps once any process has
// recorded that it has the hook: the steps wait for such a process. The database keeps
// this record for as long as ended jobs, so that calls also wait while no such process
// runs.
type Hooks struct {
	Job   func(ctx context.Context, account string, j *view.Job) error
	Batch func(ctx context.Context, account string, b *batch.Job) error
	// Follow is called when the checks of a followed address have failed for days, and when
	// its publisher has ended it.
	Follow func(ctx context.Context, account string, f *follow.Follow) error
}

// followHook is the hook for follows that fail.
const followHook db.Hook = "follow_hook"

// Config is what Delivery works with.
type Config struct {
	Hooks
	Store *db.Store
	Log   *slog.Logger
	// Show returns a job as the API shows it.
	Show func(context.Context, *db.Job) (*view.Job, error)
	// Kept is how long ended jobs are kept.
	Kept time.Duration
	// Timeout is how long a hook may take; 0 means 30 s.
	Timeout time.Duration
	// Pause returns the pause after the nth failed call of a hook; nil means the function
	// Pause.
	Pause func(n int) time.Duration
}

// Delivery calls the hooks, and repeats failed calls. A Delivery is safe for concurrent
// use.
type Delivery struct {
	Hooks
	cfg   Config
	store *db.Store
	log   *slog.Logger
}

// New returns a Delivery for the configuration.
func New(c Config) *Delivery {
	c.Timeout = cmp.Or(c.Timeout, usualTimeout)
	if c.Pause == nil {
		c.Pause = Pause
	}
	return &Delivery{Hooks: c.Hooks, cfg: c, store: c.Store, log: c.Log}
}

// The queues of the calls, and how many calls of each run at once.
const (
	jobQueue    = string(db.JobHook)
	batchQueue  = string(db.BatchHook)
	followQueue = string(followHook)
	atOnce      = 4
)

// Workers make the calls.
func (d *Delivery) Workers() []queue.Worker {
	return []queue.Worker{
		queue.NewWorker(d.cfg.Timeout, d.callJobHook), queue.NewWorker(d.cfg.Timeout, d.callBatchHook), queue.NewWorker(d.cfg.Timeout, d.callFollowHook),
	}
}

// Queues says how many calls of each queue run at once.
func (d *Delivery) Queues() map[string]int {
	return map[string]int{jobQueue: atOnce, batchQueue: atOnce, followQueue: atOnce}
}

// Takes says for each queue whether this process makes its calls. Calls wait for a process with
// the hook.
func (d *Delivery) Takes() map[string]bool {
	return map[string]bool{jobQueue: d.Job != nil, batchQueue: d.Batch != nil, followQueue: d.Follow != nil}
}

// set are the hooks that are not nil.
func (h Hooks) set() (all []db.Hook) {
	if h.Job != nil {
		all = append(all, db.JobHook)
	}
	if h.Batch != nil {
		all = append(all, db.BatchHook)
	}
	if h.Follow != nil {
		all = append(all, followHook)
	}
	return all
}

const (
	// usualTimeout is how long a hook may take.
	usualTimeout = 30 * time.Second
	// A failed hook is called again after a pause, which doubles each time.
	shortestPause = time.Second
	longestPause  = 15 * time.Minute
	// announceEvery is the time between two records that this process has hooks.
	announceEvery = time.Hour
	announceAgain = time.Second // after a failure
)

// jobHookArgs is the step that calls the hook for the end of a job.
type jobHookArgs struct {
	Job    string `json:"job"`
	Failed int    `json:"failed,omitempty"` // calls that have failed
}

func (jobHookArgs) Kind() string  { return "job_hook" }
func (jobHookArgs) Queue() string { return jobQueue }

// batchHookArgs is the step that calls the hook for the end of a batch.
type batchHookArgs struct {
	Batch  string `json:"batch"`
	Failed int    `json:"failed,omitempty"`
}

func (batchHookArgs) Kind() string  { return "batch_hook" }
func (batchHookArgs) Queue() string { return batchQueue }

// followHookArgs is the step that calls the hook for a follow that fails.
type followHookArgs struct {
	Follow string `json:"follow"`
	Failed int    `json:"failed,omitempty"`
}

func (followHookArgs) Kind() string  { return "follow_hook" }
func (followHookArgs) Queue() string { return followQueue }

// KeepAnnouncing records regularly that this process has hooks, until ctx ends.
func (d *Delivery) KeepAnnouncing(ctx context.Context) {
	for pause := announceEvery; attempt.Sleep(ctx, pause); {
		pause = announceEvery
		if err := d.Announce(ctx); err != nil && ctx.Err() == nil {
			d.log.ErrorContext(ctx, "it was not noted that this process has hooks", "err", err)
			pause = announceAgain
		}
	}
}

// Announce records in the database that this process has hooks, so that all processes queue
// calls.
func (d *Delivery) Announce(ctx context.Context) error {
	for _, h := range d.set() {
		if err := d.store.SetHook(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// JobsEnded queues the calls for jobs that end, if a process has the hook.
func (d *Delivery) JobsEnded(ctx context.Context, tx *db.Tx, ended []db.Job) error {
	wanted, err := d.isHooked(ctx, tx, db.JobHook)
	if err != nil || !wanted {
		return err
	}
	for _, job := range ended {
		if err := tx.Queue.Enqueue(ctx, jobHookArgs{Job: job.ID}); err != nil {
			return err
		}
	}
	return nil
}

// BatchEnded queues the call for a batch that ends, if a process has the hook.
func (d *Delivery) BatchEnded(ctx context.Context, tx *db.Tx, b *db.Batch) error {
	wanted, err := d.isHooked(ctx, tx, db.BatchHook)
	if err != nil || !wanted {
		return err
	}
	return tx.Queue.Enqueue(ctx, batchHookArgs{Batch: b.ID})
}

// FollowFails queues the call for a follow that fails, if a process has the hook.
func (d *Delivery) FollowFails(ctx context.Context, tx *db.Tx, follow string) error {
	wanted, err := d.isHooked(ctx, tx, followHook)
	if err != nil || !wanted {
		return err
	}
	return tx.Queue.Enqueue(ctx, followHookArgs{Follow: follow})
}

func (d *Delivery) isHooked(ctx context.Context, tx *db.Tx, h db.Hook) (bool, error) {
	return tx.HasHook(ctx, h, time.Now().Add(-d.cfg.Kept))
}

// callJobHook calls the hook for a job. It makes no call for a deleted job.
func (d *Delivery) callJobHook(ctx context.Context, w queue.Row, step jobHookArgs) error {
	row, err := d.store.Jobs.ByID(ctx, step.Job)
	if errors.Is(err, db.ErrNotFound) {
		d.log.ErrorContext(ctx, "no process told the hook of the end of a job while the job was kept", "job", step.Job, "calls", step.Failed)
		return nil
	}
	if err != nil {
		return err
	}
	job, err := d.cfg.Show(ctx, row)
	if err != nil {
		return err
	}
	step.Failed++
	return d.call(ctx, w, step, step.Failed, func() error { return d.Job(ctx, row.Account, job) })
}

// callBatchHook calls the hook for a batch, unless it was retried meanwhile: then it
// ends again.
func (d *Delivery) callBatchHook(ctx context.Context, w queue.Row, step batchHookArgs) error {
	row, err := d.store.Batches.ByID(ctx, step.Batch)
	if errors.Is(err, db.ErrNotFound) { // it was deleted
		return nil
	}
	if err != nil {
		return err
	}
	found, err := d.store.Batches.Owned(ctx, row.Account, row.ID)
	if err != nil || !found.Shown.Terminal() {
		return err
	}
	b := view.BatchOf(found)
	step.Failed++
	return d.call(ctx, w, step, step.Failed, func() error { return d.Batch(ctx, row.Account, b) })
}

// callFollowHook calls the hook for a follow, unless its checks succeed again.
func (d *Delivery) callFollowHook(ctx context.Context, w queue.Row, step followHookArgs) error {
	account, f, err := follower.ByID(ctx, d.store, step.Follow)
	if errors.Is(err, db.ErrNotFound) { // it was deleted
		return nil
	}
	if err != nil || f.Status != follow.Failing && f.EndedAt == nil {
		return err
	}
	step.Failed++
	return d.call(ctx, w, step, step.Failed, func() error { return d.Follow(ctx, account, f) })
}

// call calls a hook, and queues the step again if the nth call fails.
func (d *Delivery) call(ctx context.Context, w queue.Row, again queue.Step, n int, hook func() error) error {
	err := attempt.Guard(hook)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("hooks: the service stops: %w", context.Canceled) // puts the step back into the queue (queue.Runner)
	}
	pause := d.cfg.Pause(n)
	d.log.ErrorContext(ctx, "a hook failed, and is called again", "hook", w.Kind, "args", string(w.Args), "calls", n, "pause", pause, "err", err)
	return d.store.InTx(context.WithoutCancel(ctx), func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Queue.RunAgain(ctx, w, again, pause)
		return err
	})
}

// Pause returns the pause after the nth failed call.
func Pause(n int) time.Duration {
	if n > 10 { // 17 minutes
		return longestPause
	}
	return min(shortestPause<<(n-1), longestPause)
}
