package together

import (
	"context"
	"sync"
	"time"
)

// mostWrites bounds the values of one call.
const mostWrites = 32

// Writes lets callers write values by keys. A value that comes while a call writes others waits
// for the next call, which writes all waiting values at once. Safe for concurrent use.
type Writes[K comparable, V, R any] struct {
	// Write writes the values of some keys, and returns a result for each key. Required. It
	// may run several times at once.
	Write func(ctx context.Context, values map[K]V) (map[K]R, error)

	mu      sync.Mutex
	waiting []*batch[K, V, R]
	ahead   *batch[K, V, R] // the call for which the others wait; nil: none
}

// batch is what Write is called with once. Its keys differ.
type batch[K comparable, V, R any] struct {
	ctx     context.Context //nolint:containedctx // the values of the first caller's context
	values  map[K]V
	ended   chan struct{}
	results map[K]R // from here on after ended
	err     error
}

// Do writes a value. If Do returns an error, also because ctx has ended, the value may be
// written all the same.
func (w *Writes[K, V, R]) Do(ctx context.Context, key K, value V) (result R, err error) {
	mine := w.join(ctx, key, value)
	select {
	case <-mine.ended:
		return mine.results[key], mine.err
	case <-ctx.Done():
		return result, ctx.Err()
	}
}

// join adds a value to the first waiting call that has room and does not have the key.
func (w *Writes[K, V, R]) join(ctx context.Context, key K, value V) *batch[K, V, R] {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.waiting {
		if _, has := b.values[key]; !has && len(b.values) < mostWrites {
			b.values[key] = value
			return b
		}
	}
	b := &batch[K, V, R]{ctx: context.WithoutCancel(ctx), values: map[K]V{key: value}, ended: make(chan struct{}), err: errCrashed}
	w.waiting = append(w.waiting, b)
	if w.ahead == nil {
		w.begin()
	}
	return b
}

// begin begins the first waiting call. The caller holds the lock.
func (w *Writes[K, V, R]) begin() {
	b := w.waiting[0]
	w.waiting, w.ahead = w.waiting[1:], b
	go func() {
		slow := time.AfterFunc(overtake, func() { w.pass(b) })
		defer slow.Stop()
		b.results, b.err = w.Write(b.ctx, b.values)
		close(b.ended)
		w.pass(b)
	}()
}

// pass lets the next call begin, if it waits for this one.
func (w *Writes[K, V, R]) pass(b *batch[K, V, R]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ahead != b {
		return
	}
	w.ahead = nil
	if len(w.waiting) > 0 {
		w.begin()
	}
}
