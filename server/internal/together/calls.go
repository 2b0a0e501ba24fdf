// Package together lets callers that ask or change a database at the same time share a call.
package together

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Calls makes one call after the other. The values that come while a call runs wait for the next
// call, which takes all of them. The zero value is ready. It is safe for concurrent use.
type Calls[C interface {
	Run(ctx context.Context) error // makes the call
}] struct {
	mu      sync.Mutex
	waiting []*Shared[C]
	ahead   *Shared[C] // the call for which the others wait; nil means none
}

// Shared is a call of several callers.
type Shared[C any] struct {
	Call C // from Join until the end of the call, no caller touches it

	ctx   context.Context //nolint:containedctx // the values of the first caller's context
	ended chan struct{}
	err   error // from here on after ended
}

// overtake is how long a call waits for the call ahead. A call on a dead connection takes
// seconds to fail, and later callers must not wait for it.
const overtake = 100 * time.Millisecond

// most limits the values of one call.
const most = 32

// Join adds a caller's value to the first waiting call that takes the value. If no call takes
// it, Join adds the value to an empty call, which must take it. Join calls both functions at
// once. Run is called with the context of the first caller, without its end.
func (t *Calls[C]) Join(ctx context.Context, empty func() C, add func(C) (taken bool)) *Shared[C] {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.waiting {
		if add(c.Call) {
			return c
		}
	}
	c := &Shared[C]{Call: empty(), ctx: context.WithoutCancel(ctx), ended: make(chan struct{})}
	add(c.Call)
	t.waiting = append(t.waiting, c)
	if t.ahead == nil {
		t.next()
	}
	return c
}

// Wait waits until the call has ended, and returns its error. If ctx ends before, Wait returns
// the error of ctx, and the call continues.
func (c *Shared[C]) Wait(ctx context.Context) error {
	select {
	case <-c.ended:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// next lets the first waiting call run. The caller holds the lock.
func (t *Calls[C]) next() {
	t.ahead = t.waiting[0]
	go t.run(t.ahead)
}

func (t *Calls[C]) run(c *Shared[C]) {
	runtime.Gosched() // callers that can run now join this call
	t.mu.Lock()
	t.waiting = t.waiting[1:]
	t.mu.Unlock()
	slow := time.AfterFunc(overtake, func() { t.pass(c) })
	defer slow.Stop()
	defer t.pass(c)
	defer close(c.ended)
	defer func() {
		if crash := recover(); crash != nil { // each caller answers for its own request only
			c.err = fmt.Errorf("together: a call of several callers has crashed: %v\n%s", crash, debug.Stack())
		}
	}()
	c.err = c.Call.Run(c.ctx)
}

// pass lets the next call run, if it waits for this one.
func (t *Calls[C]) pass(c *Shared[C]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ahead != c {
		return
	}
	t.ahead = nil
	if len(t.waiting) > 0 {
		t.next()
	}
}
