package edge

import (
	"net"
	"net/http"
	"sync"
)

// MaxConnections is how many connections an http.Server of the service keeps open: more than
// clients need, and fewer than the file descriptors that a process may have.
const MaxConnections = 2000

// Connections bounds the open connections of an http.Server. If there are too many,
// Connections closes the connection that has waited longest for a request, so that idle
// connections keep no client out. If no connection waits, Connections closes the newest.
type Connections struct {
	most int

	mu    sync.Mutex
	turns int              // counts up each time a connection begins to wait
	open  map[net.Conn]int // the turn at which the connection began to wait for a request; 0: a request is at work
}

// NewConnections allows at most so many open connections.
func NewConnections(most int) *Connections {
	return &Connections{most: most, open: map[net.Conn]int{}}
}

// Changed is for the ConnState of an http.Server.
func (c *Connections) Changed(conn net.Conn, state http.ConnState) {
	if surplus := c.update(conn, state); surplus != nil {
		_ = surplus.Close() // nothing is sent on it
	}
}

// update counts a connection by its new state. The result is the connection to close, or nil.
func (c *Connections) update(conn net.Conn, state http.ConnState) (surplus net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state == http.StateNew {
		if surplus = c.surplus(conn); surplus != nil {
			delete(c.open, surplus)
		}
		if surplus != conn {
			c.wait(conn)
		}
		return surplus
	}
	_, known := c.open[conn] // an unknown connection is being closed
	switch {
	case !known:
	case state == http.StateActive:
		c.open[conn] = 0
	case state == http.StateIdle:
		c.wait(conn)
	default:
		delete(c.open, conn)
	}
	return nil
}

func (c *Connections) wait(conn net.Conn) {
	c.turns++
	c.open[conn] = c.turns
}

// surplus is the connection to close for a new connection; nil while there is room.
func (c *Connections) surplus(fresh net.Conn) net.Conn {
	if len(c.open) < c.most {
		return nil
	}
	longest, since := fresh, c.turns+1
	for conn, turn := range c.open {
		if turn > 0 && turn < since {
			longest, since = conn, turn
		}
	}
	return longest
}
