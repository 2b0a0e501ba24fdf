package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

const (
	// never is so far away that River does not rescue a job for its age: Lost knows
	// better. Nor does River give one up for the number of its attempts: a worker
	// that wants no more says so.
	never       = 10 * 365 * 24 * time.Hour
	maxAttempts = 10_000
	// pollInterval is for work that is not announced: what was requeued, what was
	// snoozed for a short while. New work is announced.
	pollInterval = time.Second
	// scheduleInterval is how often River makes those rows available whose time comes before
	// it looks again. It is River's default.
	scheduleInterval = 5 * time.Second
)

// Workers is what a process works on.
type Workers struct {
	// Process is the name of this process, unique among the living. Required.
	Process string
	// Abilities is what the process can do, for the processes that leave work to it: a
	// JSON object that only the caller reads.
	Abilities []byte
	Workers   []Worker
	// Queues maps a queue's name to how many of its jobs run at once here.
	Queues map[string]int
	// Takes, where it is set, says whether this process takes work from a queue now.
	// It is asked before each fetch, several times a second.
	Takes    func(queue string) bool
	Periodic []Periodic
	// Finished is how long the queue keeps a finished row, for an operator who looks
	// into the past; 0: an hour.
	Finished time.Duration
}

// Runner works on the queue.
//
// A worker's context ends when the runner stops. If the worker then returns an error
// that wraps context.Canceled, it gives its job back: the job is available at once, and
// its attempt is not counted. Jobs have no time limit of their own.
type Runner interface {
	// Start joins the living under Workers.Process and returns once the runner
	// works; it goes on after ctx has ended.
	Start(ctx context.Context) error
	// Beat is the sign of life, to be given every few seconds: without it the
	// runner fetches nothing more, and in the end the others take the process for
	// dead, which is ErrTakenForDead. Then call Stop.
	Beat(ctx context.Context) error
	// Unheard returns the work that the database gives to this runner but that the
	// runner does not know, because the database's answer was lost. Requeue this work.
	Unheard(ctx context.Context) ([]Work, error)
	// Stop cancels the contexts of running jobs and waits for them, at most until ctx
	// ends.
	Stop(ctx context.Context) error
	// Leave tells the others that this one has stopped in an orderly way. Then it can
	// be started again.
	Leave(ctx context.Context) error
}

// NewRunner prepares work on the queue.
func (s *Store) NewRunner(w Workers) (Runner, error) {
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
	finished := cmp.Or(w.Finished, time.Hour)
	hands := newHands(w.Takes, w.Queues)
	worker, err := s.database.worker(&river.Config{
		ID:                   w.Process,
		Workers:              workers,
		Queues:               queues,
		PeriodicJobs:         periodic,
		JobTimeout:           -1,
		RescueStuckJobsAfter: never,
		MaxAttempts:          maxAttempts,
		RetryPolicy:          soon{},

		CancelledJobRetentionPeriod: finished,
		CompletedJobRetentionPeriod: finished,
		DiscardedJobRetentionPeriod: finished,

		Middleware:        []rivertype.Middleware{river.WorkerMiddlewareFunc(hands.during)},
		FetchPollInterval: pollInterval,
		Logger:            quiet(s.log),
		Test:              river.TestConfig{Time: hostClock{}},
	}, hands)
	if err != nil {
		return nil, fmt.Errorf("store: runner: %w", err)
	}
	return &runner{store: s, worker: worker, hands: hands, process: w.Process, abilities: w.Abilities}, nil
}

// soon lets work whose error the pipeline could not settle, as the database was
// away, be run again within seconds. Up to River's interval of 5 s for scheduled
// work, that does not depend on which process leads.
type soon struct{}

const maxRetryPause = 4 * time.Second

func (soon) NextRetry(job *rivertype.JobRow) time.Time {
	return time.Now().Add(min(time.Duration(job.Attempt)*time.Second, maxRetryPause))
}

type runner struct {
	store     *Store
	worker    worker
	hands     *hands
	process   string
	abilities []byte
}

func (r *runner) Start(ctx context.Context) error {
	joined := time.Now()
	if err := r.store.join(ctx, r.process, r.abilities); err != nil {
		return err
	}
	r.hands.hasBeaten(joined)
	if err := r.worker.Start(context.WithoutCancel(ctx)); err != nil {
		return errors.Join(fmt.Errorf("store: start runner: %w", err), r.Leave(ctx))
	}
	return nil
}

func (r *runner) Beat(ctx context.Context) error {
	began := time.Now()
	if err := r.store.beat(ctx, r.process); err != nil {
		return err
	}
	r.hands.hasBeaten(began)
	return nil
}

func (r *runner) Unheard(ctx context.Context) ([]Work, error) {
	running, err := r.store.running(ctx, "j.owner = ?", r.process)
	return r.hands.unheard(running), err
}

func (r *runner) Stop(ctx context.Context) error {
	if err := r.worker.StopAndCancel(ctx); err != nil {
		return fmt.Errorf("store: stop runner: %w", err)
	}
	return nil
}

func (r *runner) Leave(ctx context.Context) error { return r.store.leave(ctx, r.process) }

// hostClock is the clock of River's clients: that of their hosts, so that work
// is fetched in time also when the database's clock is set.
type hostClock struct{}

func (hostClock) Now() time.Time { return time.Now() }

func (hostClock) NowOrNil() *time.Time {
	now := time.Now()
	return &now
}

// insertConfig configures a client that only inserts. River sends at most one
// wake-up per cool-down, and later inserts then wait for the next poll, so the
// inserting side has the least one.
func insertConfig(log *slog.Logger) *river.Config {
	return &river.Config{
		FetchCooldown: river.FetchCooldownMin,
		MaxAttempts:   maxAttempts,
		Logger:        quiet(log),
		Test:          river.TestConfig{Time: hostClock{}},
	}
}
