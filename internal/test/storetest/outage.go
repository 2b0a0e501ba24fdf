package storetest

import (
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/store"
)

// Server is a PostgreSQL server of a single test, which may stop and start it.
type Server struct {
	t testing.TB
	c *cluster
}

// OwnServer starts a server for this test alone, which takes a second or two. It returns
// options with an empty database of that server and a folder for blobs. The server is removed
// when the test ends; a stopped server is first started again.
func OwnServer(t testing.TB) (*Server, store.Options) {
	t.Helper()
	c, err := startCluster(hasty)
	needed(t, err)
	t.Cleanup(func() { require.NoError(t, c.leash.Close()) })
	s := &Server{t: t, c: c}
	o := store.Options{Database: c.database(t), Blobs: filepath.Join(t.TempDir(), "blobs")}
	t.Cleanup(s.Start)
	return s, o
}

// Stop ends the server like an operator's restart: it cuts connections and rolls transactions
// back. It returns when the server has ended.
func (s *Server) Stop() {
	s.t.Helper()
	s.end("stop")
}

// Crash ends the server at once. The server runs with synchronous_commit off, so the latest
// commits are lost although their clients were told that they had succeeded.
func (s *Server) Crash() {
	s.t.Helper()
	s.end("crash")
}

func (s *Server) end(how string) {
	s.t.Helper()
	s.tell(how)
	require.Eventually(s.t, func() bool {
		_, err := os.Stat(filepath.Join(s.c.dir, "data", "postmaster.pid"))
		return errors.Is(err, os.ErrNotExist)
	}, startTimeout, 5*time.Millisecond)
}

// Start starts a stopped server and returns when it answers. It does nothing if the server
// runs.
func (s *Server) Start() {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.c.dir, "data", "postmaster.pid")); err == nil {
		return
	}
	s.tell("start")
	require.NoError(s.t, s.c.wait())
}

func (s *Server) tell(command string) {
	s.t.Helper()
	_, err := io.WriteString(s.c.leash, command+"\n")
	require.NoError(s.t, err)
}

// socket is the name of a server's socket. PostgreSQL derives it from the default port, which
// the server does not open.
const socket = ".s.PGSQL.5432"

// Line is the connection between a store and its PostgreSQL server. A test can break it or
// silence it.
type Line struct {
	t       testing.TB
	server  string // the server's socket
	address string // the socket of this end

	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]bool
	passes   chan struct{} // closed while bytes may pass
	running  sync.WaitGroup
}

// Behind returns options for the same database through a new line.
func Behind(t testing.TB, o store.Options) (*Line, store.Options) {
	t.Helper()
	u, err := url.Parse(o.Database)
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "line-") //nolint:usetesting // a socket's path must be short
	require.NoError(t, err)
	l := &Line{
		t:       t,
		server:  filepath.Join(u.Query().Get("host"), socket),
		address: filepath.Join(dir, socket),
		conns:   map[net.Conn]bool{},
		passes:  make(chan struct{}),
	}
	close(l.passes)
	l.listen()
	t.Cleanup(func() {
		l.Cut()
		l.running.Wait()
		require.NoError(t, os.RemoveAll(dir))
	})
	query := u.Query()
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	o.Database = u.String()
	return l, o
}

// Cut breaks all connections and refuses new ones, until Mend.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != nil {
		_ = l.listener.Close() // closing a socket loses nothing
		l.listener = nil
	}
	for c := range l.conns {
		_ = c.Close() // breaking it is the purpose
	}
	l.pass()
}

// Silence keeps connections open, and accepts new ones, but passes no byte in either direction
// until Mend.
func (l *Line) Silence() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passes = make(chan struct{})
}

// Mend repairs the line. Bytes that were sent during a silence arrive now.
func (l *Line) Mend() {
	l.t.Helper()
	l.mu.Lock()
	l.pass()
	listens := l.listener != nil
	l.mu.Unlock()
	if !listens {
		l.listen()
	}
}

func (l *Line) pass() {
	select {
	case <-l.passes:
	default:
		close(l.passes)
	}
}

func (l *Line) listen() {
	l.t.Helper()
	listener, err := net.Listen("unix", l.address)
	require.NoError(l.t, err)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listener = listener
	l.running.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			l.running.Go(func() { l.join(near) })
		}
	})
}

// join carries one connection until either end closes it.
func (l *Line) join(near net.Conn) {
	far, err := net.Dial("unix", l.server)
	if err != nil {
		_ = near.Close() // like the server
		return
	}
	if !l.keep(near, far) {
		return
	}
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		both.Go(func() {
			l.carry(way[0], way[1])
			_, _ = near.Close(), far.Close() // the other direction ends with this one
		})
	}
	both.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, near)
	delete(l.conns, far)
}

// keep records the two ends of a connection, unless the line was cut in the meantime.
func (l *Line) keep(ends ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range ends {
		if l.listener == nil {
			_ = c.Close() // like the earlier ends
			continue
		}
		l.conns[c] = true
	}
	return l.listener != nil
}

func (l *Line) carry(from, to net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		l.mu.Lock()
		passes := l.passes
		l.mu.Unlock()
		<-passes
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
