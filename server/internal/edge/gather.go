package edge

import (
	"bytes"
	"context"
	"net"
)

// leastGathered is the size in bytes of answers whose parts leave together. The buffers of
// net/http hold a smaller answer whole.
const leastGathered = 4 << 10

// gathering holds the parts of an answer, so that they leave by one system call. net/http
// alone would send the head of an answer, its long middle and its tail one after the other.
type gathering struct {
	parts net.Buffers
}

// add holds a part. A long part is a part of the body, which stays as it is until the answer
// has left. A short part may stand in a buffer of net/http, which uses the buffer again.
func (g *gathering) add(b []byte) {
	if len(b) <= leastGathered {
		b = bytes.Clone(b)
	}
	g.parts = append(g.parts, b)
}

type connKey struct{}

// ConnContext lets the answers on a connection of Listener leave in one piece. It is a
// ConnContext of an http.Server.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*watchedConn); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

// gather holds an answer with a body of so many bytes, which is written on the connection of the
// request that ctx belongs to, until leave sends it. Between the two calls, the handler writes
// the answer, flushes it, and leaves its bytes alone. gathered is false if the parts of the
// answer leave by themselves: if the body is small, or on a connection of another listener.
func gather(ctx context.Context, body int) (leave func(), gathered bool) {
	c, ok := ctx.Value(connKey{}).(*watchedConn)
	if !ok || body <= leastGathered {
		return nil, false
	}
	c.gathered = new(gathering)
	return c.leave, true
}

// leave sends what was gathered. net/http believes that the parts have left already, so a
// connection on which they cannot leave is closed.
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
