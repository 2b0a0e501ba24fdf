package edge

import (
	"context"
	"net"
	"sync"
)

// Entrance is where connections come into the http.Servers of a server. It can close so that no
// connection is lost: http.Server.Shutdown drops a connection whose first request arrives during
// the shutdown, without an answer. The zero value is open. Safe for concurrent use.
type Entrance struct {
	mu        sync.Mutex
	closed    bool
	accepting map[*listener]struct{}
	coming    map[*watchedConn]struct{} // accepted, and no request has come to a handler
	through   chan struct{}             // closed once the entrance is closed, and both maps are empty; nil means that the entrance is open
}

// Watch adds a listener of [Listener] that an http.Server is about to use. Others are left alone.
func (e *Entrance) Watch(l net.Listener) {
	own, ok := l.(*listener)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || own.entrance != nil {
		return
	}
	if e.accepting == nil {
		e.accepting, e.coming = map[*listener]struct{}{}, map[*watchedConn]struct{}{}
	}
	own.entrance = e
	e.accepting[own] = struct{}{}
}

// Close closes the listeners, and returns when the first request of each accepted connection has
// come to a handler, or when ctx ends. A connection that ends, or that net/http answers, counts too.
// The http.Servers wait meanwhile for their Shutdown. A second call only waits.
func (e *Entrance) Close(ctx context.Context) {
	e.mu.Lock()
	e.closed = true
	for l := range e.accepting {
		_ = l.Listener.Close() // one that is closed already accepts nothing either
	}
	if e.through == nil {
		e.through = make(chan struct{})
		e.settle()
	}
	through := e.through
	e.mu.Unlock()
	select {
	case <-through:
	case <-ctx.Done():
	}
}

// settle lets Close return if nothing is left. The caller holds mu.
func (e *Entrance) settle() {
	if e.through == nil || len(e.accepting)+len(e.coming) > 0 {
		return
	}
	select {
	case <-e.through:
	default:
		close(e.through)
	}
}

// come counts a connection that was accepted.
func (e *Entrance) come(c *watchedConn) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c.coming.Store(true)
	e.coming[c] = struct{}{}
}

// arrived counts the connection of a request that a handler has.
func arrived(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*watchedConn); ok {
		c.entrance.arrive(c)
	}
}

// arrive counts a connection whose first request has come to a handler.
func (e *Entrance) arrive(c *watchedConn) {
	if e == nil || !c.coming.Swap(false) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.coming, c)
	e.settle()
}

// leave counts a listener that accepts no more. It reports whether the entrance is closed.
func (e *Entrance) leave(l *listener) bool {
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.accepting, l)
	e.settle()
	return e.closed
}
