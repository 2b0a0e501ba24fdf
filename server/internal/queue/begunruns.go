package queue

import (
	"context"
	"sync"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// endWritten is how long the queue may take to write the end of a run.
const endWritten = time.Minute

// begunRuns remembers which runs of queued work a client of the queue has begun, so that the client
// can distinguish its own runs from runs whose answer was lost. A begunRuns is safe for concurrent
// use.
type begunRuns struct {
	mu   sync.Mutex
	runs map[begunRun]time.Time // when the run has ended; zero if it has not
}

type begunRun struct {
	id      int64
	attempt int
}

// newBegunRuns knows no runs.
func newBegunRuns() *begunRuns { return &begunRuns{runs: map[begunRun]time.Time{}} }

// during wraps each run: it is a middleware of the queue's workers.
func (b *begunRuns) during(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
	this := begunRun{job.ID, job.Attempt}
	b.set(this, time.Time{})
	defer func() { b.set(this, time.Now()) }()
	return work(ctx)
}

func (b *begunRuns) set(r begunRun, ended time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs[r] = ended
}

// known reports whether the client has begun a run of a row that was read before, and has not
// ended the run so long ago that its end was never written.
func (b *begunRuns) known(id int64, attempt int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	ended, known := b.runs[begunRun{id, attempt}]
	return known && !overdue(ended)
}

// forget drops the runs that have ended long ago. The owner calls forget from time to
// time.
func (b *begunRuns) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for run, ended := range b.runs {
		if overdue(ended) {
			delete(b.runs, run)
		}
	}
}

func overdue(ended time.Time) bool { return !ended.IsZero() && time.Since(ended) > endWritten }
