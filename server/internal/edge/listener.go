package edge

import (
	"net"
	"sync"
	"sync/atomic"
)

// Listener is l. On its connections, one system call sends a large answer, and an [Entrance] can
// wait for their first requests.
func Listener(l net.Listener) net.Listener {
	return &listener{Listener: l, ended: make(chan struct{})}
}

type listener struct {
	net.Listener
	entrance *Entrance // nil means no server watches the listener
	end      sync.Once
	ended    chan struct{} // closed by Close
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		if l.entrance.leave(l) {
			<-l.ended // an error before its Shutdown would end the http.Server
		}
		return nil, err
	}
	conn := &watchedConn{Conn: c, entrance: l.entrance}
	l.entrance.come(conn)
	return conn, nil
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.end.Do(func() { close(l.ended) })
	return l.Listener.Close()
}

// watchedConn is a connection on which net/http answers.
type watchedConn struct {
	net.Conn
	gathered *gathering // nil means that each part of an answer is sent separately
	entrance *Entrance  // nil means no server watches the listener
	coming   atomic.Bool
}

// Close ends the connection.
func (c *watchedConn) Close() error {
	c.entrance.arrive(c)
	return c.Conn.Close()
}

// Write sends an answer, or a part of one.
func (c *watchedConn) Write(b []byte) (int, error) {
	c.entrance.arrive(c)
	if c.gathered != nil {
		c.gathered.add(b)
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// CloseWrite lets net/http end its side first, so that its refusal of a request arrives.
func (c *watchedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
