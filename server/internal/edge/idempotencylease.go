package edge

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

const (
	// keyBeat is how often a request renews the lease of its key.
	keyBeat = db.KeyLease / 3
	// keyTimeout limits each write about a key at the end of its request.
	keyTimeout = 10 * time.Second
	// keyPause is the time between two attempts to release a key while the database is not
	// available.
	keyPause = 100 * time.Millisecond
)

// leases hold the idempotency keys of the running requests.
type leases struct {
	store *db.Store
	log   *slog.Logger

	ended   context.Context
	end     context.CancelFunc
	mu      sync.Mutex // a retry begins before end, or not at all
	retries sync.WaitGroup
}

func newLeases(store *db.Store, log *slog.Logger) *leases {
	l := &leases{store: store, log: log}
	l.ended, l.end = context.WithCancel(context.Background())
	return l
}

// close gives up the keys that could not be released, and returns when nothing runs in
// the background.
func (l *leases) close() {
	l.mu.Lock()
	l.end()
	l.mu.Unlock()
	l.retries.Wait()
}

// lease is a request's hold on its key.
type lease struct {
	leases   *leases
	key      db.HeldKey
	stopBeat func()
	settled  bool
}

// take takes a free key. If the key is not free, the lease is nil, and the state
// describes the request that has the key.
func (l *leases) take(ctx context.Context, id db.IdempotencyKey, fingerprint []byte) (*lease, db.KeyState, error) {
	state, err := l.store.Idempotency.Take(ctx, id, fingerprint)
	switch {
	case err != nil && state.Held != nil: // this request may have taken the key, because only the database's answer is missing
		l.retry(*state.Held)
		return nil, state, err
	case err != nil || state.Held == nil:
		return nil, state, err
	}
	stopBeat := l.beat(context.WithoutCancel(ctx), *state.Held)
	return &lease{leases: l, key: *state.Held, stopBeat: stopBeat}, state, nil
}

// beat renews the lease of the key every few seconds, until stop is called. stop
// returns when the last renewal has ended.
func (l *leases) beat(ctx context.Context, key db.HeldKey) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(keyBeat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			err := l.store.Idempotency.Beat(ctx, key)
			if err != nil && ctx.Err() == nil && !errors.Is(err, db.ErrKeyLost) { // the next write reports a lost key
				l.log.WarnContext(ctx, "an idempotency key was not kept alive", "err", err)
			}
		}
	}()
	return func() { cancel(); <-stopped }
}

// settle records the final answer for the key; the zero Answer means that there is none. The
// result is the answer to send. The result differs from a if another request has considered
// this request dead, and has already repeated the recorded answer.
func (l *lease) settle(a db.Answer) (db.Answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), keyTimeout)
	defer cancel()
	stands, err := l.leases.store.Idempotency.Settle(ctx, l.key, a)
	if errors.Is(err, db.ErrKeyLost) { // the key has expired, and with it the record of the request
		stands, err = a, nil
	}
	l.settled = err == nil
	return stands, err
}

// release ends the lease. A key that is not settled repeats the recorded answer; without a
// recorded answer, the key is free. cause is the error of the request, or nil if it
// succeeded.
func (l *lease) release(cause error) {
	l.stopBeat()
	if l.settled {
		return
	}
	away := errors.Is(cause, db.ErrUnavailable)
	if !away {
		err := l.leases.free(context.Background(), l.key)
		if away = errors.Is(err, db.ErrUnavailable); err != nil && !away {
			l.leases.log.Warn("an idempotency key was not released", "err", err)
		}
	}
	if away { // the answer does not wait, because the client comes back in two seconds and must find the key free
		l.leases.retry(l.key)
	}
}

func (l *leases) free(ctx context.Context, key db.HeldKey) error {
	ctx, cancel := context.WithTimeout(ctx, keyTimeout)
	defer cancel()
	return l.store.Idempotency.Release(ctx, key)
}

// retry releases a key in the background, as soon as the database can be reached.
func (l *leases) retry(key db.HeldKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended.Err() != nil {
		return // the lease ends by itself
	}
	l.retries.Go(func() {
		ctx, cancel := context.WithTimeout(l.ended, db.KeyLease) // then the lease ends, and the key is free
		defer cancel()
		for errors.Is(l.free(ctx, key), db.ErrUnavailable) {
			select {
			case <-time.After(keyPause):
			case <-ctx.Done():
				return
			}
		}
	})
}
