package window

import (
	"context"
	"sync"
	"time"
)

// Rounds counts events in a database that answers slower than events come. Events that come
// while the database counts a round wait for the next round, which counts all of them at once.
// Each event has its own count all the same. Rounds counts no events in a window that it knows
// to be full. Safe for concurrent use.
type Rounds[K comparable] struct {
	// Count adds a number of events to the window of each key, and returns the windows after
	// the last of them. Required. It may run several times at once.
	Count func(ctx context.Context, events map[K]int) (map[K]Counted, error)

	full Full[K]

	mu    sync.Mutex
	next  *round[K] // the round that new events join; nil: there is none yet
	ahead *round[K] // the round for which the next one waits; nil: none
}

// Counted is a window of a database after some events.
type Counted struct {
	Window
	Left time.Duration // until the window ends, by the clock that counts
}

// round is what Count is called with once.
type round[K comparable] struct {
	ctx     context.Context //nolint:containedctx // the values of the first event's context
	events  map[K]int
	ended   chan struct{}
	counted map[K]Counted // from here on after ended
	err     error
}

// overtake is how long a round waits for the round ahead. A round on a dead connection takes
// seconds to fail, and the events that come after it must not fail with it.
const overtake = 100 * time.Millisecond

// Add counts one event for the key. If the window has more than limit events already, Add may
// return the window without the event. If ctx ends before the answer, the event may count.
func (r *Rounds[K]) Add(ctx context.Context, key K, limit int) (Counted, error) {
	asked := time.Now()
	if w, left, full := r.full.Recall(key, limit, asked); full {
		return Counted{w, left}, nil
	}
	mine, place := r.join(ctx, key)
	select {
	case <-mine.ended:
	case <-ctx.Done():
		return Counted{}, ctx.Err()
	}
	if mine.err != nil {
		return Counted{}, mine.err
	}
	counted := mine.counted[key]
	counted.Count -= mine.events[key] - place
	if counted.Count > limit {
		r.full.Remember(key, counted.Window, counted.Left, asked)
	}
	return counted, nil
}

// join adds an event to the next round. place is 1 for the first event of the key in the round.
func (r *Rounds[K]) join(ctx context.Context, key K) (mine *round[K], place int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil {
		r.next = &round[K]{ctx: context.WithoutCancel(ctx), events: map[K]int{}, ended: make(chan struct{})}
	}
	mine = r.next
	mine.events[key]++
	place = mine.events[key]
	if r.ahead == nil {
		r.begin()
	}
	return mine, place
}

// begin begins the next round. The caller holds the lock.
func (r *Rounds[K]) begin() {
	begun := r.next
	r.next, r.ahead = nil, begun
	go func() {
		slow := time.AfterFunc(overtake, func() { r.pass(begun) })
		defer slow.Stop()
		begun.counted, begun.err = r.Count(begun.ctx, begun.events)
		close(begun.ended)
		r.pass(begun)
	}()
}

// pass lets the next round begin, if it waits for this one.
func (r *Rounds[K]) pass(begun *round[K]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ahead != begun {
		return
	}
	r.ahead = nil
	if r.next != nil {
		r.begin()
	}
}
