// Package begunruns remembers which runs of queued work a client of the queue has begun, so that
// the client can tell a run of its own from a run whose answer was lost.
package begunruns

import (
	"context"
	"sync"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// endWritten is how long the queue may take to write the end of a run.
const endWritten = time.Minute

// Runs knows which runs a client has begun. Safe for concurrent use.
type Runs struct {
	mu   sync.Mutex
	runs map[run]time.Time // when the run has ended; zero: it has not
}

type run struct {
	id      int64
	attempt int
}

// New knows no runs.
func New() *Runs { return &Runs{runs: map[run]time.Time{}} }

// During is around each run: a middleware of the queue's workers.
func (b *Runs) During(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
	this := run{job.ID, job.Attempt}
	b.set(this, time.Time{})
	defer func() { b.set(this, time.Now()) }()
	return work(ctx)
}

func (b *Runs) set(r run, ended time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs[r] = ended
}

// Known reports whether the client has begun a run of a row that was read before, and has not
// ended the run so long ago that its end was never written.
func (b *Runs) Known(id int64, attempt int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	ended, known := b.runs[run{id, attempt}]
	return known && !overdue(ended)
}

// Forget drops the runs that have ended long ago. The owner calls Forget now and then.
func (b *Runs) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for run, ended := range b.runs {
		if overdue(ended) {
			delete(b.runs, run)
		}
	}
}

func overdue(ended time.Time) bool { return !ended.IsZero() && time.Since(ended) > endWritten }
