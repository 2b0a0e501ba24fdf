// Package crowdtest serves an http.Server on connections in memory. They have no buffers: a server
// stops at the first byte of an answer that its client does not read. Each connection comes from an
// address of the test's choice.
package crowdtest

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// patience limits the wait for an answer. It is generous, because a busy machine is slow.
const patience = 10 * time.Minute

// Place is where a server accepts connections.
type Place struct {
	fresh  chan net.Conn
	closed chan struct{}
	close  sync.Once
}

// Serve serves web until the end of the test. wrap, if not nil, wraps the listener of the place,
// as server.Listener does.
func Serve(t testing.TB, web *http.Server, wrap func(net.Listener) net.Listener) *Place {
	t.Helper()
	p := &Place{fresh: make(chan net.Conn), closed: make(chan struct{})}
	var l net.Listener = p
	if wrap != nil {
		l = wrap(p)
	}
	served := make(chan error, 1)
	go func() { served <- web.Serve(l) }()
	t.Cleanup(func() {
		_ = web.Close() // closing connections in memory does not fail
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return p
}

// Accept implements net.Listener.
func (p *Place) Accept() (net.Conn, error) {
	select {
	case c := <-p.fresh:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *Place) Close() error {
	p.close.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (p *Place) Addr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.1:80"))
}

// accepted is the server's end of a connection.
type accepted struct {
	net.Conn
	from   net.Addr
	end    sync.Once
	closed chan struct{}
}

func (c *accepted) RemoteAddr() net.Addr { return c.from }

func (c *accepted) Close() error {
	c.end.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// client is the other end of a connection.
type client struct {
	net.Conn
	closed <-chan struct{} // by the server
}

// dial connects from an IP address.
func (p *Place) dial(t testing.TB, from string) client {
	t.Helper()
	there, here := net.Pipe()
	at := net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(from), 1024))
	end := &accepted{Conn: there, from: at, closed: make(chan struct{})}
	select {
	case p.fresh <- end:
	case <-p.closed:
		t.Fatal("crowdtest: the server has ended")
	}
	return client{here, end.closed}
}

// Ask sends a request on a connection of its own, and reads the whole answer.
func (p *Place) Ask(t testing.TB, from, request string) (*http.Response, string) {
	t.Helper()
	c := p.dial(t, from)
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience)) // a pipe has deadlines
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatalf("crowdtest: the request was not read: %v", err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("crowdtest: there is no answer: %v", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("crowdtest: the answer is not whole: %v", err)
	}
	return resp, string(body)
}

// Crowd is a number of clients that stand still.
type Crowd struct{ clients []client }

// Stand makes clients from an address send a part of a request each, and then do nothing. It
// returns when the server has read the parts, or has closed the connections.
func (p *Place) Stand(t testing.TB, from, part string, n int) *Crowd {
	t.Helper()
	crowd := new(Crowd)
	for range n {
		crowd.clients = append(crowd.clients, p.dial(t, from))
	}
	crowd.Send(part)
	return crowd
}

// Send sends a further part on each connection, as Stand does.
func (c *Crowd) Send(part string) {
	var sent sync.WaitGroup
	for _, conn := range c.clients {
		sent.Go(func() { _, _ = io.WriteString(conn, part) }) // a closed connection is a result
	}
	sent.Wait()
}

// Statuses reads the first line of each answer, and counts the statuses. 0 means a connection that
// was closed.
func (c *Crowd) Statuses() map[int]int {
	counted := map[int]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, conn := range c.clients {
		all.Go(func() {
			status := statusOf(conn)
			mu.Lock()
			defer mu.Unlock()
			counted[status]++
		})
	}
	all.Wait()
	return counted
}

// statusOf reads the beginning of an answer.
func statusOf(c net.Conn) (status int) {
	_ = c.SetReadDeadline(time.Now().Add(patience)) // a pipe has deadlines
	line := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(c, line); err != nil {
		return 0
	}
	for _, digit := range line[len("HTTP/1.1 "):] {
		status = 10*status + int(digit-'0')
	}
	return status
}

// Leave closes the connections, and returns when the server has closed them too.
func (c *Crowd) Leave() {
	for _, conn := range c.clients {
		_ = conn.Close() // a pipe closes always
	}
	for _, conn := range c.clients {
		<-conn.closed
	}
}
