// Package heartbeat lets a step begin only after a fresh heartbeat of its process.
package heartbeat

import (
	"context"
	"sync"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// fresh is how long after a heartbeat a step may begin. A process that has stood still
// first learns whether the others have taken it for dead.
const fresh = 15 * time.Second

// Beats knows the last heartbeat of the process. Safe for concurrent use.
type Beats struct {
	mu   sync.Mutex
	last time.Time
	next chan struct{} // closed by the next heartbeat
}

// New returns a Beats without a heartbeat: no step begins.
func New() *Beats { return &Beats{next: make(chan struct{})} }

// Beaten notes that the process has given a heartbeat at a time.
func (b *Beats) Beaten(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = at
	close(b.next)
	b.next = make(chan struct{})
}

// Before is River's middleware around each run: it waits for a fresh heartbeat, at most until
// ctx ends.
func (b *Beats) Before(ctx context.Context, _ *rivertype.JobRow, run func(context.Context) error) error {
	for {
		b.mu.Lock()
		may, next := time.Since(b.last) <= fresh, b.next
		b.mu.Unlock()
		if may {
			return run(ctx)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-next:
		}
	}
}
