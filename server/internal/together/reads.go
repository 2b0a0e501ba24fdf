// Package together lets callers that ask or change a database at the same time share a call.
package together

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Reads lets callers with the same question at the same time share a read. A caller never
// shares a read that began before the caller came, so the answer is as new as the answer to a
// read of its own. The zero value is ready. Safe for concurrent use.
type Reads[K comparable, V any] struct {
	mu      sync.Mutex
	next    map[K]*round[V] // the reads that callers may still join
	running map[K]*round[V] // the latest reads that have begun
}

// round is one read.
type round[V any] struct {
	ended chan struct{}
	value V // from here on after ended
	err   error
}

// overtake is how long a read waits for the read ahead. A read on a dead connection takes
// seconds to fail, and the callers that come after it must not wait for it.
const overtake = 100 * time.Millisecond

var errCrashed = errors.New("together: a read for several callers has crashed")

// Read returns the answer to a question. The caller, or another caller with the same question,
// calls read with a context that does not end with its caller. All of them get the same value.
func (r *Reads[K, V]) Read(ctx context.Context, question K, read func(context.Context) (V, error)) (V, error) {
	mine, first, ahead := r.join(question)
	if first {
		if ahead != nil {
			ahead.wait()
		}
		r.begin(question, mine)
		defer r.end(question, mine)
		mine.value, mine.err = read(context.WithoutCancel(ctx))
		return mine.value, mine.err
	}
	select {
	case <-mine.ended:
		return mine.value, mine.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// join returns the read that the caller shares. first: the caller begins the read, after the
// read ahead.
func (r *Reads[K, V]) join(question K) (mine *round[V], first bool, ahead *round[V]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if mine = r.next[question]; mine != nil {
		return mine, false, nil
	}
	if r.next == nil {
		r.next, r.running = map[K]*round[V]{}, map[K]*round[V]{}
	}
	mine = &round[V]{ended: make(chan struct{}), err: errCrashed}
	r.next[question] = mine
	return mine, true, r.running[question]
}

func (r *Reads[K, V]) begin(question K, mine *round[V]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.next, question)
	r.running[question] = mine
}

func (r *Reads[K, V]) end(question K, mine *round[V]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running[question] == mine {
		delete(r.running, question)
	}
	close(mine.ended)
}

func (o *round[V]) wait() {
	slow := time.NewTimer(overtake)
	defer slow.Stop()
	select {
	case <-o.ended:
	case <-slow.C:
	}
}
