package edge

import (
	"context"
	"net"
	"sync"
)

// Entrance accepts the connections for the http.Servers of a server. It can close without losing
// a connection: http.Server.Shutdown drops a connection whose first request arrives during the
// shutdown, without an answer. The zero value is open. An Entrance is safe for concurrent use.
type Entrance struct {
	mu        sync.Mutex
	closed    bool
	accepting map[*listener]struct{}
	coming    map[*watchedConn]struct{} // accepted, but no request has reached a handler
	through   chan struct{}             // closed once the entrance is closed, and both maps are empty; nil means that the entrance is open
}

// Watch adds a listener of [Listener] that an http.Server is about to use. It ignores other
// listeners.
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
// reached a handler, or when ctx ends. A connection that ends, or that net/http answers, counts
// too. Meanwhile the http.Servers wait for their Shutdown. A second call only waits.
func (e *Entrance) Close(ctx context.Context) {
	e.mu.Lock()
	e.closed = true
	for l := range e.accepting {
		_ = l.Listener.Close() // a listener that is already closed accepts nothing either
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

// come counts an accepted connection.
func (e *Entrance) come(c *watchedConn) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c.coming.Store(true)
	e.coming[c] = struct{}{}
}

// arrived counts the connection of a request that has reached a handler.
func arrived(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*watchedConn); ok {
		c.entrance.arrive(c)
	}
}

// arrive counts a connection whose first request has reached a handler.
func (e *Entrance) arrive(c *watchedConn) {
	if e == nil || !c.coming.Swap(false) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.coming, c)
	e.settle()
}

// leave counts a listener that no longer accepts connections. It reports whether the
// entrance is closed.
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
