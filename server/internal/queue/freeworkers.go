package queue

import (
	"context"
	"sync"
	"time"

	"github.com/riverqueue/river/rivertype"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// freeWorkers keeps the last free worker of each queue for single requests, so that they
// never wait for a long batch step to end. River has priorities, but keeps no worker free
// for one. So a batch's step that River has given to the last free worker does not begin.
// It waits there until another worker is free, and leaves the worker as soon as a single
// request waits.
type freeWorkers struct {
	queue   *Queue
	workers map[string]int // by queue

	mu      sync.Mutex
	busy    map[string]int // workers with a step that has begun, by queue
	changed chan struct{}  // closed when a step ends
}

// singlesEvery is how often a step that waits looks for single requests.
const singlesEvery = 100 * time.Millisecond

func newFreeWorkers(q *Queue, workers map[string]int) *freeWorkers {
	return &freeWorkers{queue: q, workers: workers, busy: map[string]int{}, changed: make(chan struct{})}
}

// during is around each run.
func (f *freeWorkers) during(ctx context.Context, job *rivertype.JobRow, run func(context.Context) error) error {
	for {
		began, changed := f.begin(job)
		if began {
			defer f.end(job.Queue)
			return run(ctx)
		}
		given, err := f.wait(ctx, job, changed)
		if given || err != nil {
			return err
		}
	}
}

// begin takes a worker, unless it is the last free one and the step belongs to a batch.
func (f *freeWorkers) begin(job *rivertype.JobRow) (began bool, changed <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.workers[job.Queue]
	if job.Priority == batchPriority && n > 1 && f.busy[job.Queue] >= n-1 {
		return false, f.changed
	}
	f.busy[job.Queue]++
	return true, nil
}

func (f *freeWorkers) end(queue string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.busy[queue]--
	close(f.changed)
	f.changed = make(chan struct{})
}

// wait waits until another step ends, or puts the step back when a single request waits.
func (f *freeWorkers) wait(ctx context.Context, job *rivertype.JobRow, changed <-chan struct{}) (given bool, err error) {
	every := time.NewTicker(singlesEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-changed:
			return false, nil
		case <-every.C:
		}
		// If the database is not available for a moment, nothing changes.
		if waits, err := f.queue.SingleWaits(ctx, job.Queue); err != nil || !waits {
			continue
		}
		if err := f.queue.sql.InTx(ctx, func(ctx context.Context, tx *sqldb.Tx) error {
			_, err := In(tx).Requeue(ctx, rowOf(job))
			return err
		}); err == nil {
			return true, nil
		}
	}
}
