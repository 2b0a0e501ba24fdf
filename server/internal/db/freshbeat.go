package db

import (
	"context"
	"sync"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// freshBeat is how long after a beat a step may begin. A process that has stood still
// first learns whether the others have taken it for dead.
const freshBeat = 15 * time.Second

// beats knows the last beat of the process. Safe for concurrent use.
type beats struct {
	mu   sync.Mutex
	last time.Time
	next chan struct{} // closed by the next beat
}

func newBeats() *beats { return &beats{next: make(chan struct{})} }

// beaten notes that the process has given a sign of life at a time.
func (b *beats) beaten(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = at
	close(b.next)
	b.next = make(chan struct{})
}

// before is before each run: it waits for a beat that is fresh.
func (b *beats) before(ctx context.Context, _ *rivertype.JobRow, run func(context.Context) error) error {
	for {
		b.mu.Lock()
		fresh, next := time.Since(b.last) <= freshBeat, b.next
		b.mu.Unlock()
		if fresh {
			return run(ctx)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-next:
		}
	}
}
