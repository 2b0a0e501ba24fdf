package edge

import (
	"net"
	"net/http"
	"sync"
)

// maxConnections is how many connections a server of HTTPServer keeps open: more
// than clients need, fewer than the descriptors that a process may have.
const MaxConnections = 2000

// connections bounds the open connections of an http.Server. When there are too
// many, the one that has waited longest for a request is closed, so that idle
// connections keep no client out; where all are at work, the newest is closed.
type connections struct {
	most int

	mu    sync.Mutex
	turns int              // counts up each time a connection begins to wait
	open  map[net.Conn]int // the turn at which it began to wait for a request; 0: it is at work
}

func NewConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]int{}}
}

// changed is an http.Server's ConnState.
func (c *connections) Changed(conn net.Conn, state http.ConnState) {
	if surplus := c.update(conn, state); surplus != nil {
		_ = surplus.Close() // nothing is sent on it
	}
}

// update counts a connection by its new state, and returns the one to close, or nil.
func (c *connections) update(conn net.Conn, state http.ConnState) (surplus net.Conn) {
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
	_, known := c.open[conn] // else it is being closed
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

func (c *connections) wait(conn net.Conn) {
	c.turns++
	c.open[conn] = c.turns
}

// surplus is the connection that makes room for a new one; nil while there is
// some.
func (c *connections) surplus(fresh net.Conn) net.Conn {
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
