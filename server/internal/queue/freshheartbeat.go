package queue

import (
	"context"
	"sync"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// freshHeartbeat is how long after a heartbeat a step may begin. A process that hung must first
// find out whether the others have considered it dead.
const freshHeartbeat = 15 * time.Second

// heartbeats lets a step begin only after a fresh heartbeat of its process. A heartbeats is safe
// for concurrent use.
type heartbeats struct {
	mu   sync.Mutex
	last time.Time
	next chan struct{} // closed by the next heartbeat
}

// newHeartbeats has no heartbeat yet: no step begins.
func newHeartbeats() *heartbeats { return &heartbeats{next: make(chan struct{})} }

// beaten records that the process has sent a heartbeat at a time.
func (b *heartbeats) beaten(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = at
	close(b.next)
	b.next = make(chan struct{})
}

// before is River's middleware around each run: it waits for a fresh heartbeat, at most until
// ctx ends.
func (b *heartbeats) before(ctx context.Context, _ *rivertype.JobRow, run func(context.Context) error) error {
	for {
		b.mu.Lock()
		may, next := time.Since(b.last) <= freshHeartbeat, b.next
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
