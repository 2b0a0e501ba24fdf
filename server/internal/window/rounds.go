package window

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/together"
)

// Rounds counts events in a database that is slower than the events. Events that come while
// the database counts a round wait for the next round, which counts all of them at once. Each
// event still has its own count. Rounds counts no events in a window that it knows to be
// full. It is safe for concurrent use.
type Rounds[K comparable] struct {
	// Count adds a number of events to the window of each key, and returns the windows after
	// the last of them. Required. It may run several times at once.
	Count func(ctx context.Context, events map[K]int) (map[K]Counted, error)

	full  Full[K]
	calls together.Calls[*round[K]]
}

// Counted is a window of a database after some events.
type Counted struct {
	Window
	Left  time.Duration // until the window ends, by the clock that counts
	Other int           // the events of the neighboring window, where there is one
}

// round is what Count is called with once.
type round[K comparable] struct {
	count   func(context.Context, map[K]int) (map[K]Counted, error)
	events  map[K]int
	counted map[K]Counted
}

// Run counts.
func (o *round[K]) Run(ctx context.Context) (err error) {
	o.counted, err = o.count(ctx, o.events)
	return err
}

// Add counts one event for the key. If the window has more than limit events already, Add may
// return the window without the event. If ctx ends before the answer, the event may count.
func (r *Rounds[K]) Add(ctx context.Context, key K, limit int) (Counted, error) {
	asked := time.Now()
	if counted, full := r.full.Recall(key, limit, asked); full {
		return counted, nil
	}
	place := 0 // 1 for the first event of the key in the round
	shared := r.calls.Join(ctx, func() *round[K] { return &round[K]{count: r.Count, events: map[K]int{}} }, func(o *round[K]) bool {
		o.events[key]++
		place = o.events[key]
		return true
	})
	if err := shared.Wait(ctx); err != nil {
		return Counted{}, err
	}
	counted := shared.Call.counted[key]
	counted.Count -= shared.Call.events[key] - place
	if counted.Count > limit {
		r.full.Remember(key, counted, asked)
	}
	return counted, nil
}
