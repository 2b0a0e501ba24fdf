package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// flights are the running questions whose answers are not kept. Equal questions are
// asked once. A question ends with its last reader, and when its time is up.
type flights struct {
	*slots
	patience time.Duration // of a question, its wait for a slot included
	mu       sync.Mutex
	by       map[string]*flight
}

// flight is one question, for all who have it.
type flight struct {
	ctx     context.Context
	cancel  context.CancelFunc
	readers int
	asked   atomic.Bool
	done    chan struct{} // closed when there is an answer
	answer  []byte
	err     error
}

func newFlights(n int, patience time.Duration) *flights {
	return &flights{slots: newSlots(n), patience: patience, by: map[string]*flight{}}
}

// errNotAsked is the error of a question whose time was up before it had a slot.
var errNotAsked = errors.New("pipeline: the question was not asked in time")

// join returns the answer to a question, which ask gets unless an equal one is under
// way. The error is that of ask, or of the context that has ended: the reader's, or
// context.DeadlineExceeded where the question's time is up, with errNotAsked where it was
// not asked.
func (f *flights) join(ctx context.Context, question string, ask func(context.Context) ([]byte, error)) ([]byte, error) {
	f.mu.Lock()
	q := f.by[question]
	if q == nil {
		q = f.begin(question, ask)
	}
	q.readers++
	f.mu.Unlock()
	defer f.leave(question, q)
	select {
	case <-q.done:
		return q.answer, q.err
	case <-q.ctx.Done(): // ask may not heed it
		if !q.asked.Load() {
			return nil, fmt.Errorf("%w: %w", errNotAsked, q.ctx.Err())
		}
		return nil, q.ctx.Err()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// begin asks a question. f is locked.
func (f *flights) begin(question string, ask func(context.Context) ([]byte, error)) *flight {
	q := &flight{done: make(chan struct{})}
	q.ctx, q.cancel = context.WithTimeout(f.ctx, f.patience)
	f.by[question] = q
	go func() {
		if err := f.take(q.ctx); err != nil {
			q.err = fmt.Errorf("%w: %w", errNotAsked, err)
			close(q.done)
			return
		}
		defer f.give()
		defer close(q.done)
		q.asked.Store(true)
		q.answer, q.err = ask(q.ctx)
	}()
	return q
}

// leave ends a question with its last reader.
func (f *flights) leave(question string, q *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if q.readers--; q.readers > 0 {
		return
	}
	q.cancel()
	if f.by[question] == q {
		delete(f.by, question)
	}
}
