package db

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/riverqueue/river/rivertype"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

const (
	// lostAnswer is how old a run must be for the answer that brings it to be lost: no
	// answer takes longer than sqldb.RiverBound.
	lostAnswer = sqldb.RiverBound + time.Second
	// endWritten is how long River may take to write the end of a run.
	endWritten = time.Minute
)

// begun knows which runs a River client has begun. Safe for concurrent use.
type begun struct {
	mu   sync.Mutex
	runs map[begunRun]time.Time // when the run has ended; zero: it has not
}

type begunRun struct {
	id      int64
	attempt int
}

func newBegun() *begun { return &begun{runs: map[begunRun]time.Time{}} }

// during is around each run.
func (b *begun) during(ctx context.Context, job *rivertype.JobRow, run func(context.Context) error) error {
	this := begunRun{job.ID, job.Attempt}
	b.set(this, time.Time{})
	defer func() { b.set(this, time.Now()) }()
	return run(ctx)
}

func (b *begun) set(r begunRun, ended time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs[r] = ended
}

// unknown returns the runs that the client has not begun, and the runs whose ends were
// never written though they ended long ago. The rows must have been read before.
func (b *begun) unknown(running []Work) []Work {
	b.mu.Lock()
	defer b.mu.Unlock()
	for run, ended := range b.runs {
		if !ended.IsZero() && time.Since(ended) > endWritten {
			delete(b.runs, run)
		}
	}
	return slices.DeleteFunc(running, func(w Work) bool {
		_, known := b.runs[begunRun{w.ID, w.Attempt}]
		return known
	})
}
