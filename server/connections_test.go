package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

// bounded is a web server with a bound on its connections; /hold answers when
// release is closed.
func bounded(t *testing.T, most int) (addr string, held chan struct{}, release chan struct{}) {
	t.Helper()
	held, release = make(chan struct{}, 100), make(chan struct{})
	web := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hold" {
			held <- struct{}{}
			<-release
		}
	})}
	server.BoundConnections(web, most)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = web.Serve(l) }() // until it is closed
	t.Cleanup(func() { assert.NoError(t, web.Close()) })
	return l.Addr().String(), held, release
}

// dial opens a connection, and sends a request for a path unless that is empty.
func dial(t *testing.T, addr, path string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	require.NoError(t, c.SetDeadline(time.Now().Add(20*time.Second)))
	if path != "" {
		_, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path)
		require.NoError(t, err)
	}
	return c
}

func answered(t *testing.T, c net.Conn) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	require.NoError(t, resp.Body.Close())
}

// gone waits until the other side has closed the connection.
func gone(t *testing.T, c net.Conn) {
	t.Helper()
	_, err := io.Copy(io.Discard, c)
	if err != nil {
		assert.ErrorContains(t, err, "reset")
	}
}

// A crowd that opens connections and sends nothing keeps nobody out, and cuts
// nobody off who is being answered.
func TestConnectionsThatSendNothing(t *testing.T) {
	t.Parallel()
	const most = 10
	addr, held, release := bounded(t, most)
	stream := dial(t, addr, "/hold")
	<-held
	waiting := dial(t, addr, "/") // for its next request
	answered(t, waiting)
	var crowd []net.Conn
	for range 3 * most {
		crowd = append(crowd, dial(t, addr, ""))
		answered(t, dial(t, addr, "/"))
	}
	gone(t, waiting)
	for _, c := range crowd[:2*most] {
		gone(t, c)
	}
	close(release)
	answered(t, stream)
}

// Where all connections are at work there is no room, until one of them ends.
func TestConnectionsAtWork(t *testing.T) {
	t.Parallel()
	addr, held, release := bounded(t, 2)
	one, other := dial(t, addr, "/hold"), dial(t, addr, "/hold")
	<-held
	<-held
	gone(t, dial(t, addr, ""))
	close(release)
	answered(t, one)
	answered(t, other)
	for range 3 {
		answered(t, dial(t, addr, "/"))
	}
}
