package e2e_test

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wire lies between processes and their PostgreSQL server. It can be cut, also in
// the middle of an answer.
type wire struct {
	database string // the URL that leads through it
	listener net.Listener
	server   string // the socket of the server

	mu    sync.Mutex
	conns map[*joint]bool
	word  []byte        // it breaks before the next answer that holds this; nil: none
	lost  chan struct{} // closed then
}

// joint is one connection: from a process to the server.
type joint struct {
	near, far net.Conn

	mu     sync.Mutex
	doomed bool // broken after half of the next answer
}

func newWire(t *testing.T, database string) *wire {
	t.Helper()
	u, err := url.Parse(database)
	require.NoError(t, err)
	query := u.Query()
	w := &wire{server: filepath.Join(query.Get("host"), ".s.PGSQL.5432"), conns: map[*joint]bool{}}
	w.listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	query.Set("host", "127.0.0.1")
	query.Set("port", strconv.Itoa(w.listener.Addr().(*net.TCPAddr).Port))
	query.Set("sslmode", "disable")
	u.RawQuery = query.Encode()
	w.database = u.String()
	go w.accept()
	t.Cleanup(func() {
		assert.NoError(t, w.listener.Close())
		w.cut(1<<30, false)
	})
	return w
}

func (w *wire) accept() {
	for {
		near, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.carry(near)
	}
}

func (w *wire) carry(near net.Conn) {
	far, err := net.Dial("unix", w.server)
	if err != nil {
		_ = near.Close() // as the server would
		return
	}
	j := &joint{near: near, far: far}
	w.mu.Lock()
	w.conns[j] = true
	w.mu.Unlock()
	go func() {
		_, _ = io.Copy(far, near) // until either end breaks
		j.close()
	}()
	w.answers(j)
	j.close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, j)
}

// answers carries what the server says.
func (w *wire) answers(j *joint) {
	buf := make([]byte, 32<<10)
	for {
		n, err := j.far.Read(buf)
		if err != nil {
			return
		}
		if w.loses(buf[:n]) {
			return
		}
		j.mu.Lock()
		doomed := j.doomed
		j.mu.Unlock()
		if doomed {
			n /= 2
		}
		if _, err := j.near.Write(buf[:n]); err != nil || doomed {
			return
		}
	}
}

func (j *joint) close() { _, _ = j.near.Close(), j.far.Close() } // broken is what they are to be

// cut breaks at most n of the connections, at once or in the middle of the next
// answer, and returns how many.
func (w *wire) cut(n int, midAnswer bool) (cut int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for j := range w.conns { // in no order
		if cut == n {
			break
		}
		j.mu.Lock()
		if !j.doomed {
			cut++
		}
		j.doomed = true
		j.mu.Unlock()
		if !midAnswer {
			j.close()
		}
	}
	return cut
}

// lose breaks the connection over which the next answer comes that holds the
// word, in its place. The channel is closed then.
func (w *wire) lose(word []byte) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.word, w.lost = word, make(chan struct{})
	return w.lost
}

func (w *wire) loses(answer []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.word == nil || !bytes.Contains(answer, w.word) {
		return false
	}
	w.word = nil
	close(w.lost)
	return true
}
