package edge

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

// Lifetime tells the requests of a server that the server is stopping. A lifetime first
// drains: everything still works, and answers close their connections. Then the lifetime ends:
// waiting requests are answered. A Lifetime is safe for concurrent use.
type Lifetime struct {
	draining chan struct{}
	drain    sync.Once
	ended    context.Context
	end      context.CancelFunc
}

// NewLifetime begins a lifetime.
func NewLifetime() *Lifetime {
	l := &Lifetime{draining: make(chan struct{})}
	l.ended, l.end = context.WithCancel(context.Background())
	return l
}

// Drain begins the draining. A second call does nothing.
func (l *Lifetime) Drain() { l.drain.Do(func() { close(l.draining) }) }

// Draining reports whether Drain has been called.
func (l *Lifetime) Draining() bool {
	select {
	case <-l.draining:
		return true
	default:
		return false
	}
}

// End ends the lifetime: contexts of Until end. A second call does nothing.
func (l *Lifetime) End() { l.end() }

// Ended is closed by End.
func (l *Lifetime) Ended() <-chan struct{} { return l.ended.Done() }

// Until returns a copy of ctx for a request that waits. It also ends with the lifetime.
// The caller calls the function when the wait is over.
func (l *Lifetime) Until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(l.ended, cancel)
	return ctx, func() { stop(); cancel() }
}

// Excuses reports whether an error may come from the stop of the service. The client is
// told to repeat the request, and another process answers.
func (l *Lifetime) Excuses(err error) bool {
	if l.ended.Err() == nil {
		return false
	}
	status := http.StatusInternalServerError
	coded, business := BusinessFailure(err)
	var flat *FlatRefusal
	switch {
	case errors.As(err, &flat):
		status = flat.Status
	case business:
		status = coded.HTTPStatus()
	case errors.Is(err, ErrNoCredential), errors.Is(err, ErrInvalidCredential):
		status = http.StatusUnauthorized
	}
	return status == http.StatusInternalServerError || status == http.StatusBadGateway
}
