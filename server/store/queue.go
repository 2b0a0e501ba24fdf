package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
)

const (
	// never is so far away that River neither rescues a job for its age (Recover
	// knows better who is dead) nor gives one up for the number of its attempts
	// (a worker that wants no more says so).
	never       = 10 * 365 * 24 * time.Hour
	maxAttempts = 10_000
	// pollInterval is for work that nobody announces: what Recover has released,
	// what was snoozed for a short while. New work is announced.
	pollInterval = time.Second
)

// Workers is what a process works on.
type Workers struct {
	// Process is the name of this process, unique among the living. Required.
	Process string
	Workers *river.Workers
	// Queues maps a queue's name to how many of its jobs run at once here.
	Queues map[string]int
	// Periodic are jobs that one process of all enqueues now and then.
	Periodic []*river.PeriodicJob
	// StopTimeout is how long Stop lets running jobs go on before their contexts
	// are cancelled.
	StopTimeout time.Duration
}

// Runner works on the queue.
//
// A worker's context ends when the runner stops. A worker that then returns an
// error which wraps context.Canceled gives its job back: it is available at once
// and its attempt is not counted. Jobs have no time limit of their own.
type Runner interface {
	// Start returns once the runner works; it goes on after ctx has ended. The
	// process counts as alive from here on (Beat).
	Start(ctx context.Context) error
	// Stop lets running jobs go on for Workers.StopTimeout, then cancels their
	// contexts, and waits for them, at most until ctx ends; contexts are cancelled
	// then at the latest. A runner that has stopped can be started again.
	Stop(ctx context.Context) error
}

// NewRunner prepares work on the queue.
func (s *Store) NewRunner(w Workers) (Runner, error) {
	if w.Process == "" || w.Workers == nil || len(w.Queues) == 0 {
		return nil, errors.New("store: runner: process, workers and queues are required")
	}
	queues := make(map[string]river.QueueConfig, len(w.Queues))
	for name, n := range w.Queues {
		queues[name] = river.QueueConfig{MaxWorkers: n}
	}
	worker, err := s.database.worker(&river.Config{
		ID:                   w.Process,
		Workers:              w.Workers,
		Queues:               queues,
		PeriodicJobs:         w.Periodic,
		SoftStopTimeout:      w.StopTimeout,
		JobTimeout:           -1,
		RescueStuckJobsAfter: never,
		MaxAttempts:          maxAttempts,
		FetchPollInterval:    pollInterval,
		Logger:               quiet(s.log),
	})
	if err != nil {
		return nil, fmt.Errorf("store: runner: %w", err)
	}
	return &runner{store: s, worker: worker, process: w.Process, patient: w.StopTimeout > 0}, nil
}

type runner struct {
	store   *Store
	worker  worker
	process string
	patient bool // running jobs may go on for a while
}

func (r *runner) Start(ctx context.Context) error {
	if err := r.store.Beat(ctx, r.process); err != nil {
		return err
	}
	if err := r.worker.Start(context.WithoutCancel(ctx)); err != nil {
		return wrap("start runner", err)
	}
	return nil
}

func (r *runner) Stop(ctx context.Context) error {
	stop := r.worker.StopAndCancel
	if r.patient {
		stop = r.worker.Stop
	}
	err := stop(ctx)
	if err == nil {
		return nil
	}
	// ctx is over; what StopAndCancel returns is that again.
	_ = r.worker.StopAndCancel(ctx)
	return fmt.Errorf("store: stop runner: %w", err)
}

// insertConfig configures a client that only inserts. River sends at most one
// wake-up per cool-down, and later inserts then wait for the next poll, so the
// inserting side has the least one.
func insertConfig(log *slog.Logger) *river.Config {
	return &river.Config{
		FetchCooldown: river.FetchCooldownMin,
		MaxAttempts:   maxAttempts,
		Logger:        quiet(log),
	}
}

// quiet lets warnings and errors pass: River tells much about its daily life.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

type warnings struct{ slog.Handler }

func (h warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

// Handle leaves out what River could not end because it is being stopped.
func (h warnings) Handle(ctx context.Context, r slog.Record) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{h.Handler.WithAttrs(attrs)}
}

func (h warnings) WithGroup(name string) slog.Handler { return warnings{h.Handler.WithGroup(name)} }
