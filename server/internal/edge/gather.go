package edge

import (
	"bytes"
	"context"
	"net"
)

// leastGathered is the size from which the parts of an answer are sent together, in bytes.
// A smaller answer fits into the buffers of net/http.
const leastGathered = 4 << 10

// gathering collects the parts of an answer, so that one system call sends them. net/http
// alone would send the head of an answer, its long middle and its tail one after another.
type gathering struct {
	parts net.Buffers
}

// add adds a part. A long part is a part of the body, which does not change until the
// answer has been sent. A short part may be in a buffer of net/http, which reuses the
// buffer.
func (g *gathering) add(b []byte) {
	if len(b) <= leastGathered {
		b = bytes.Clone(b)
	}
	g.parts = append(g.parts, b)
}

type connKey struct{}

// ConnContext lets the answers on a connection of Listener be sent in one piece. It is a
// ConnContext of an http.Server.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*watchedConn); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

// gather collects an answer with a body of the given size, which is written on the connection of
// the request that ctx belongs to, until leave sends the answer. Between the two calls, the
// handler writes the answer, flushes it, and does not change its bytes. gathered is false if the
// parts of the answer are sent separately, because the body is small, or because the connection
// belongs to another listener.
func gather(ctx context.Context, body int) (leave func(), gathered bool) {
	c, ok := ctx.Value(connKey{}).(*watchedConn)
	if !ok || body <= leastGathered {
		return nil, false
	}
	c.gathered = new(gathering)
	return c.leave, true
}

// leave sends the collected parts. net/http assumes that the parts were already sent, so
// leave closes a connection on which it cannot send them.
func (c *watchedConn) leave() {
	parts := c.gathered.parts
	c.gathered = nil
	if len(parts) == 0 {
		return
	}
	if _, err := parts.WriteTo(c.Conn); err != nil {
		_ = c.Close() // fails only if the connection is closed
	}
}
