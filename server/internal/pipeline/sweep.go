package pipeline

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

const (
	keepJobs    = 7 * 24 * time.Hour // after their end (contract 4)
	keepAnswers = 24 * time.Hour     // of idempotency keys (contract 7)
	sweepEvery  = time.Hour
)

type sweepArgs struct{}

func (sweepArgs) Kind() string { return "sweep" }

func (sweepArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: queueHouse} }

// sweeper removes what is past its time.
type sweeper struct {
	river.WorkerDefaults[sweepArgs]
	p *Pipeline
}

func (s *sweeper) Work(ctx context.Context, _ *river.Job[sweepArgs]) error {
	now := time.Now()
	return s.p.store.Sweep(ctx, now.Add(-keepJobs), now.Add(-keepAnswers))
}

func sweepJob() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(sweepEvery),
		func() (river.JobArgs, *river.InsertOpts) { return sweepArgs{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}
