package underway

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// spare is the part of the connections that may wait for a request while the others are at work.
const spare = 8

// Connections limits the open connections of an http.Server. A new connection always has a place:
// if there are too many, Connections closes another one. Connections first closes those that wait
// for a request, so that idle connections keep no client out. If fewer than an eighth wait, a
// connection at work is closed too. In both cases Connections chooses the holder with the most
// connections, and closes the one that has waited or worked longest.
type Connections struct {
	most int

	mu    sync.Mutex
	turns int // counts the changes of state
	open  map[net.Conn]*connection
}

// connection is an open connection.
type connection struct {
	peer   Holder // who has opened the connection
	holder Holder // whose request is at work, or peer
	works  bool   // a request is at work, or its header arrives
	since  int    // the turn at which the connection began to wait or to work
}

// NewConnections allows at most the given number of open connections.
func NewConnections(most int) *Connections {
	return &Connections{most: most, open: map[net.Conn]*connection{}}
}

type connectionKey struct{}

// held is a connection in the context of its requests.
type held struct {
	of   *Connections
	conn net.Conn
}

// Context is for the ConnContext of the http.Server: it makes [Hold] find the connection.
func (c *Connections) Context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, held{c, conn})
}

// Hold says who holds the connection of the request that ctx belongs to, until the connection waits
// for its next request. The requests of an HTTP/2 connection may have several holders: the last
// counts. Hold does nothing without [Connections.Context].
func Hold(ctx context.Context, by Holder) {
	h, ok := ctx.Value(connectionKey{}).(held)
	if !ok {
		return
	}
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if conn := h.of.open[h.conn]; conn != nil {
		conn.holder = by
	}
}

// Changed is for the ConnState of the http.Server.
func (c *Connections) Changed(conn net.Conn, state http.ConnState) {
	if surplus := c.update(conn, state); surplus != nil {
		_ = surplus.Close() // nothing is sent on it
	}
}

// update counts a connection by its new state. The result is the connection to close, or nil.
func (c *Connections) update(conn net.Conn, state http.ConnState) (surplus net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turns++
	if state == http.StateNew {
		if len(c.open) >= c.most {
			surplus = c.surplus()
			delete(c.open, surplus)
		}
		peer := Holder{Network: Network(peerOf(conn))}
		c.open[conn] = &connection{peer: peer, holder: peer, since: c.turns}
		return surplus
	}
	known := c.open[conn] // an unknown connection is being closed
	switch {
	case known == nil:
	case state == http.StateActive:
		known.works, known.since = true, c.turns
	case state == http.StateIdle:
		known.works, known.since, known.holder = false, c.turns, known.peer
	default:
		delete(c.open, conn)
	}
	return nil
}

// surplus returns the connection to close for a new one.
func (c *Connections) surplus() net.Conn {
	waiting := 0
	for _, conn := range c.open {
		if !conn.works {
			waiting++
		}
	}
	spareable := waiting > c.most/spare // otherwise too many connections are at work
	holds, most := map[Holder]int{}, 0
	for _, conn := range c.open {
		if conn.works && spareable {
			continue
		}
		holds[conn.holder]++
		most = max(most, holds[conn.holder])
	}
	var chosen net.Conn
	var longest *connection
	for at, conn := range c.open {
		if conn.works && spareable || holds[conn.holder] < most {
			continue
		}
		if longest == nil || conn.before(longest) {
			chosen, longest = at, conn
		}
	}
	return chosen
}

// before reports whether c is closed before other: connections that wait come first, then those
// that have waited or worked longer.
func (c *connection) before(other *connection) bool {
	if c.works != other.works {
		return !c.works
	}
	return c.since < other.since
}

// peerOf returns the address of the other side; it is not valid if the peer has no IP
// address.
func peerOf(conn net.Conn) netip.Addr {
	remote := conn.RemoteAddr()
	if remote == nil { // the connection has ended already
		return netip.Addr{}
	}
	at, _ := netip.ParseAddrPort(remote.String()) // otherwise not valid
	return at.Addr().Unmap().WithZone("")
}
