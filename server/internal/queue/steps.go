package queue

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Step is a piece of work as the queue stores it: its exported fields, as JSON. A step of
// a piece of work has the id in a member "extraction", by which accounts take turns.
type Step interface {
	Kind() string  // says which worker runs it
	Queue() string // the queue in which it waits
}

// Worker runs the steps of one kind.
type Worker struct {
	addTo func(*river.Workers) error
}

// NewWorker makes a worker from a function. The context of a run ends after limit; 0
// means that it has no limit.
func NewWorker[S Step](limit time.Duration, do func(ctx context.Context, run Row, step S) error) Worker {
	return Worker{addTo: func(all *river.Workers) error {
		return river.AddWorkerSafely(all, &stepWorker[S]{limit: limit, do: do})
	}}
}

// stepWorker is a Worker in the form for River.
type stepWorker[S Step] struct {
	river.WorkerDefaults[S]
	limit time.Duration
	do    func(ctx context.Context, run Row, step S) error
}

func (w *stepWorker[S]) Timeout(*river.Job[S]) time.Duration { return w.limit }

func (w *stepWorker[S]) Work(ctx context.Context, job *river.Job[S]) error {
	return w.do(ctx, rowOf(job.JobRow), job.Args)
}

// Periodic is a step that the leading process enqueues when it begins to lead, and from then on at
// every interval. If the process that leads dies, another process leads after 19 seconds
// (measured): a term of River's is 15 seconds long, and processes ask every five.
type Periodic struct {
	Step  Step
	Every time.Duration
}

func (p Periodic) job() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(p.Every),
		func() (river.JobArgs, *river.InsertOpts) { return p.Step, &river.InsertOpts{Queue: p.Step.Queue()} },
		&river.PeriodicJobOpts{RunOnStart: true})
}

// rowOf is the run that a worker is called for.
func rowOf(row *rivertype.JobRow) Row {
	return Row{ID: row.ID, Attempt: row.Attempt, Kind: row.Kind, Queue: row.Queue, Args: row.EncodedArgs}
}

// atOnce is the longest pause that counts as no pause. The queue looks for steps with a
// later start only every few seconds.
const atOnce = 10 * time.Millisecond

// RunAgain replaces a run by a step that runs after a pause. It reports false and does
// nothing if the run no longer holds its work: another process has taken the work over.
func (tx Tx) RunAgain(ctx context.Context, row Row, step Step, pause time.Duration) (bool, error) {
	held, err := tx.Holds(ctx, row)
	if err != nil || !held {
		return false, err
	}
	if err := tx.enqueueAfter(ctx, step, pause); err != nil {
		return false, err
	}
	return true, tx.Finish(ctx, row)
}
