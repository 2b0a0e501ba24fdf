package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Workers says what a process works on.
type Workers struct {
	// Process is the name of this process, unique among the living processes. Required.
	Process string
	// Abilities tells other processes which work this process can do. It is a JSON object,
	// which only the caller reads.
	Abilities []byte
	// Workers run the steps, one worker for each kind. Required.
	Workers []Worker
	// Queues maps a queue's name to how many of its steps run at the same time in this
	// process. Required.
	Queues map[string]int
	// Takes says whether this process takes steps from a queue now. The runner asks when it
	// starts and then every half a second, from one goroutine. nil means that the process
	// takes steps from all queues.
	Takes    func(queue string) bool
	Periodic []Periodic
	// Finished is how long the queue keeps the row of a step that has ended; 0 means an
	// hour.
	Finished time.Duration
}

// Runner works on the queue.
//
// A worker's context ends when the runner stops. If a worker then returns an error that
// wraps context.Canceled, its step goes back: it is available at once, and its attempt is
// not counted.
type Runner interface {
	// Start adds the process to the living processes under Workers.Process, and returns once
	// the runner works. The runner continues after ctx has ended.
	Start(ctx context.Context) error
	// Beat sends the heartbeat of the process. The caller calls it every few seconds.
	// Without it, the runner starts no more steps, and after some time the other processes
	// consider this one dead; the error is then ErrTakenForDead. Then call Stop.
	Beat(ctx context.Context) error
	// Unheard returns the runs of this process that the database knows and the process does
	// not, because the answer with them was lost. They must be requeued.
	Unheard(ctx context.Context) ([]Row, error)
	// Stop cancels the contexts of running steps and waits for the steps, at most until ctx
	// ends. It may be called again.
	Stop(ctx context.Context) error
	// Leave tells the other processes that this one has stopped in an orderly way.
	Leave(ctx context.Context) error
}

// runner implements Runner with a River client.
type runner struct {
	queue   *Queue
	workers Workers
	client  sqldb.RiverClient
	begun   *begunRuns
	beats   *heartbeats

	stopping context.CancelFunc
	looks    sync.WaitGroup
}

// NewRunner prepares work on the queue.
func (q *Queue) NewRunner(w Workers) (Runner, error) {
	if w.Process == "" || len(w.Workers) == 0 || len(w.Queues) == 0 {
		return nil, errors.New("store: runner: process, workers and queues are required")
	}
	workers := river.NewWorkers()
	for _, worker := range w.Workers {
		if err := worker.addTo(workers); err != nil {
			return nil, fmt.Errorf("store: runner: %w", err)
		}
	}
	periodic := make([]*river.PeriodicJob, len(w.Periodic))
	for i, p := range w.Periodic {
		periodic[i] = p.job()
	}
	queues := make(map[string]river.QueueConfig, len(w.Queues))
	for name, n := range w.Queues {
		queues[name] = river.QueueConfig{MaxWorkers: n}
	}
	if w.Takes == nil {
		w.Takes = func(string) bool { return true }
	}
	r := &runner{queue: q, workers: w, begun: newBegunRuns(), beats: newHeartbeats()}
	finished := cmp.Or(w.Finished, time.Hour)
	var err error
	r.client, err = q.sql.RiverClient(&river.Config{
		ID:                   w.Process,
		Workers:              workers,
		Queues:               queues,
		PeriodicJobs:         periodic,
		JobTimeout:           -1, // each worker has its own
		RescueStuckJobsAfter: never,
		MaxAttempts:          maxAttempts,
		RetryPolicy:          soon{},

		CancelledJobRetentionPeriod: finished,
		CompletedJobRetentionPeriod: finished,
		DiscardedJobRetentionPeriod: finished,

		Middleware: []rivertype.Middleware{
			river.WorkerMiddlewareFunc(r.begun.during),
			river.WorkerMiddlewareFunc(r.beats.before),
			river.WorkerMiddlewareFunc(newFreeWorkers(q, w.Queues).during),
		},
		Logger: sqldb.Quiet(q.log),
	})
	if err != nil {
		return nil, fmt.Errorf("store: runner: %w", err)
	}
	return r, nil
}

// soon makes a step run again within seconds if the pipeline could not record its error,
// for example because the database was not available. Below River's interval for
// scheduled steps, the pause does not depend on the leading process.
type soon struct{}

const maxRetryPause = 4 * time.Second

// NextRetry returns when a failed step is tried again.
func (soon) NextRetry(job *rivertype.JobRow) time.Time {
	return time.Now().Add(min(time.Duration(job.Attempt)*time.Second, maxRetryPause))
}

func (r *runner) Start(ctx context.Context) error {
	joined := time.Now()
	if err := r.queue.join(ctx, r.workers.Process, r.workers.Abilities); err != nil {
		return err
	}
	r.beats.beaten(joined)
	taken := maps.Clone(r.workers.Queues)
	if err := r.leaveQueues(ctx, taken); err != nil {
		return errors.Join(fmt.Errorf("store: start runner: %w", err), r.Leave(ctx))
	}
	if err := r.client.Start(context.WithoutCancel(ctx)); err != nil {
		return errors.Join(fmt.Errorf("store: start runner: %w", err), r.Leave(ctx))
	}
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stopping = stop
	r.looks.Go(func() { each(working, takesEvery, func(ctx context.Context) { r.followTakes(ctx, taken) }) })
	r.looks.Go(func() { each(working, lookInterval, r.wakeWaiting) })
	return nil
}

func (r *runner) Beat(ctx context.Context) error {
	began := time.Now()
	if err := r.queue.beat(ctx, r.workers.Process); err != nil {
		return err
	}
	r.beats.beaten(began)
	return nil
}

// lostAnswer is the age from which the answer with a run is considered lost: no answer takes
// longer than sqldb.RiverBound.
const lostAnswer = sqldb.RiverBound + time.Second

func (r *runner) Unheard(ctx context.Context) ([]Row, error) {
	running, err := r.queue.running(ctx, "j.owner = ? AND (j.attempted_at IS NULL OR j.attempted_at < ?)",
		r.workers.Process, r.queue.sql.Ago(lostAnswer))
	r.begun.forget()
	return slices.DeleteFunc(running, func(w Row) bool { return r.begun.known(w.ID, w.Attempt) }), err
}

func (r *runner) Stop(ctx context.Context) error {
	if r.stopping != nil {
		r.stopping()
		r.looks.Wait()
	}
	if err := r.client.StopAndCancel(ctx); err != nil {
		return fmt.Errorf("store: stop runner: %w", err)
	}
	return nil
}

func (r *runner) Leave(ctx context.Context) error { return r.queue.leave(ctx, r.workers.Process) }

// wakeWaiting wakes the workers for steps that may run and that no announcement has reported
// to River, such as postponed steps.
func (r *runner) wakeWaiting(ctx context.Context) {
	if err := r.queue.WakeWaiting(ctx, slices.Collect(maps.Keys(r.workers.Queues))); err != nil && ctx.Err() == nil {
		r.queue.log.WarnContext(ctx, "steps that have come back wait behind the others", "err", err)
	}
}

// each calls look at every interval, until ctx ends.
func each(ctx context.Context, interval time.Duration, look func(context.Context)) {
	every := time.NewTicker(interval)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			look(ctx)
		}
	}
}
