package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/follows"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/server/internal/webhooks"
)

// Hooks are called at the end of jobs and batches, and when a follow fails, at least once each. A nil member is
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
	// Follow is called when the looks at a followed address have failed for days, and when its
	// publisher has ended it.
	Follow func(ctx context.Context, account string, f *batch.Follow) error
}

// followHook is the hook for follows that fail.
const followHook db.Hook = "follow_hook"

// hookDelivery calls the hooks, and calls a hook again that fails.
type hookDelivery struct {
	Hooks
	store    *db.Store
	jobs     *Jobs
	webhooks *webhooks.Store
	log      *slog.Logger
	kept     time.Duration           // how long ended jobs are kept
	pause    func(int) time.Duration // after the nth failed call
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
	// hookTimeout is how long a hook may take.
	hookTimeout = 30 * time.Second
	// A hook that fails is called again after a pause, which doubles each time.
	shortestHookPause = time.Second
	longestHookPause  = 15 * time.Minute
	// hookEvery is the time between two notes that this process has hooks.
	hookEvery = time.Hour
	hookAgain = time.Second // after a failure
)

// jobHookArgs is the step that calls the hook for the end of a job.
type jobHookArgs struct {
	Job    string `json:"job"`
	Failed int    `json:"failed,omitempty"` // calls that have failed
}

func (jobHookArgs) Kind() string  { return "job_hook" }
func (jobHookArgs) Queue() string { return queueJobHook }

// batchHookArgs is the step that calls the hook for the end of a batch.
type batchHookArgs struct {
	Batch  string `json:"batch"`
	Failed int    `json:"failed,omitempty"`
}

func (batchHookArgs) Kind() string  { return "batch_hook" }
func (batchHookArgs) Queue() string { return queueBatchHook }

// followHookArgs is the step that calls the hook for a follow that fails.
type followHookArgs struct {
	Follow string `json:"follow"`
	Failed int    `json:"failed,omitempty"`
}

func (followHookArgs) Kind() string  { return "follow_hook" }
func (followHookArgs) Queue() string { return queueFollowHook }

// keepAnnouncing notes again and again that this process has hooks, until ctx ends.
func (d *hookDelivery) keepAnnouncing(ctx context.Context) {
	for pause := hookEvery; sleep(ctx, pause); {
		pause = hookEvery
		if err := d.announce(ctx); err != nil && ctx.Err() == nil {
			d.log.ErrorContext(ctx, "it was not noted that this process has hooks", "err", err)
			pause = hookAgain
		}
	}
}

func (d *hookDelivery) announce(ctx context.Context) error {
	for _, h := range d.set() {
		if err := d.store.SetHook(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// jobsEnded queues the calls for jobs that end, and writes their deliveries to webhooks.
func (d *hookDelivery) jobsEnded(ctx context.Context, tx *db.Tx, e *db.Extraction, ended []db.Job, end db.End) error {
	if err := d.queueJobCalls(ctx, tx, ended); err != nil {
		return err
	}
	return d.webhooks.JobsEnded(ctx, tx, e, ended, end)
}

// batchEnded queues the call for a batch that ends, and writes its deliveries to webhooks.
func (d *hookDelivery) batchEnded(ctx context.Context, tx *db.Tx, b *db.Batch) error {
	if err := d.queueBatchCall(ctx, tx, b); err != nil {
		return err
	}
	return d.webhooks.BatchEnded(ctx, tx, b)
}

// queueJobCalls queues the calls for jobs that end, if anybody is to be told.
func (d *hookDelivery) queueJobCalls(ctx context.Context, tx *db.Tx, ended []db.Job) error {
	wanted, err := d.isHooked(ctx, tx, db.JobHook)
	if err != nil || !wanted {
		return err
	}
	for _, job := range ended {
		if err := tx.Enqueue(ctx, jobHookArgs{Job: job.ID}); err != nil {
			return err
		}
	}
	return nil
}

// queueBatchCall queues the call for a batch that ends, if anybody is to be told.
func (d *hookDelivery) queueBatchCall(ctx context.Context, tx *db.Tx, b *db.Batch) error {
	wanted, err := d.isHooked(ctx, tx, db.BatchHook)
	if err != nil || !wanted {
		return err
	}
	return tx.Enqueue(ctx, batchHookArgs{Batch: b.ID})
}

// queueFollowCall queues the call for a follow that fails, if anybody is to be told.
func (d *hookDelivery) queueFollowCall(ctx context.Context, tx *db.Tx, follow string) error {
	wanted, err := d.isHooked(ctx, tx, followHook)
	if err != nil || !wanted {
		return err
	}
	return tx.Enqueue(ctx, followHookArgs{Follow: follow})
}

func (d *hookDelivery) isHooked(ctx context.Context, tx *db.Tx, h db.Hook) (bool, error) {
	return tx.HasHook(ctx, h, time.Now().Add(-d.kept))
}

// callJobHook calls the hook for a job. It makes no call for a job that is gone.
func (d *hookDelivery) callJobHook(ctx context.Context, w db.Work, step jobHookArgs) error {
	row, err := d.store.Jobs.ByID(ctx, step.Job)
	if errors.Is(err, db.ErrNotFound) {
		d.log.ErrorContext(ctx, "no process told the hook of the end of a job while the job was kept", "job", step.Job, "calls", step.Failed)
		return nil
	}
	if err != nil {
		return err
	}
	job, err := d.jobs.fill(ctx, row, nil)
	if err != nil {
		return err
	}
	step.Failed++
	return d.call(ctx, w, step, step.Failed, func() error { return d.Job(ctx, row.Account, job) })
}

// callBatchHook calls the hook for a batch, unless it was retried meanwhile: then it
// ends again.
func (d *hookDelivery) callBatchHook(ctx context.Context, w db.Work, step batchHookArgs) error {
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

// callFollowHook calls the hook for a follow, unless the looks succeed again.
func (d *hookDelivery) callFollowHook(ctx context.Context, w db.Work, step followHookArgs) error {
	account, f, err := follows.ByID(ctx, d.store, step.Follow)
	if errors.Is(err, db.ErrNotFound) { // it was deleted
		return nil
	}
	if err != nil || f.Status != batch.FollowFailing && f.EndedAt == nil {
		return err
	}
	step.Failed++
	return d.call(ctx, w, step, step.Failed, func() error { return d.Follow(ctx, account, f) })
}

// call calls a hook, and queues the step again where that fails for the nth time.
func (d *hookDelivery) call(ctx context.Context, w db.Work, again db.Step, n int, hook func() error) error {
	err := attempt.Guard(hook)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("pipeline: the service stops: %w", context.Canceled) // gives the step back (db.Runner)
	}
	pause := d.pause(n)
	d.log.ErrorContext(ctx, "a hook failed, and is called again", "hook", w.Kind, "args", string(w.Args), "calls", n, "pause", pause, "err", err)
	return d.store.InTx(context.WithoutCancel(ctx), func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.RunAgain(ctx, w, again, pause)
		return err
	})
}

// hookPause is how long to wait after the nth call that has failed.
func hookPause(n int) time.Duration {
	if n > 10 { // 17 minutes
		return longestHookPause
	}
	return min(shortestHookPause<<(n-1), longestHookPause)
}
