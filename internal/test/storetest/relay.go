package storetest

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/store"
)

// Relay forwards the messages of one connection to PostgreSQL, and may change them. Ask gets
// the client's messages and Answer the server's, once the connection has begun. Both return the
// data to forward, and false to end the connection. Each is called by its own goroutine.
type Relay interface {
	Ask(kind byte, body []byte) (send []byte, ok bool)
	Answer(kind byte, body []byte) (send []byte, ok bool)
}

// IsPostgres reports whether the options name a PostgreSQL database.
func IsPostgres(o store.Options) bool { return !strings.HasPrefix(o.Database, "sqlite:") }

// Between returns options for the same PostgreSQL database through relays, one for each
// connection.
func Between(t testing.TB, o store.Options, relay func() Relay) store.Options {
	t.Helper()
	u, err := url.Parse(o.Database)
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "relay-") //nolint:usetesting // a socket's path must be short
	require.NoError(t, err)
	server := filepath.Join(u.Query().Get("host"), socket)
	listener, err := net.Listen("unix", filepath.Join(dir, socket))
	require.NoError(t, err)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { between(client, server, relay()) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close() // closing a socket loses nothing
		running.Wait()
		require.NoError(t, os.RemoveAll(dir))
	})
	query := u.Query()
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	o.Database = u.String()
	return o
}

// between carries one connection until either end, or the relay, closes it.
func between(client net.Conn, address string, r Relay) {
	defer client.Close()
	server, err := net.Dial("unix", address)
	if err != nil {
		return // as if the server had hung up
	}
	defer server.Close()
	if err := begin(client, server); err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { _ = relayAll(client, server, r.Ask); _, _ = client.Close(), server.Close() })    // each direction ends
	both.Go(func() { _ = relayAll(server, client, r.Answer); _, _ = client.Close(), server.Close() }) // with the other one
	both.Wait()
}

// begin forwards a client's first message, which has a length but no kind.
func begin(client, server net.Conn) error {
	var size [4]byte
	if _, err := io.ReadFull(client, size[:]); err != nil {
		return err
	}
	body, err := body(client, size)
	if err != nil {
		return err
	}
	_, err = server.Write(append(size[:], body...))
	return err
}

func relayAll(from io.Reader, to io.Writer, hand func(kind byte, body []byte) ([]byte, bool)) error {
	var head [5]byte
	for {
		if _, err := io.ReadFull(from, head[:]); err != nil {
			return err
		}
		body, err := body(from, [4]byte(head[1:]))
		if err != nil {
			return err
		}
		send, ok := hand(head[0], body)
		if !ok {
			return io.EOF
		}
		if _, err := to.Write(send); err != nil {
			return err
		}
	}
}

// body reads the rest of a message whose size includes itself.
func body(from io.Reader, size [4]byte) ([]byte, error) {
	n := binary.BigEndian.Uint32(size[:])
	if n < 4 || n > 1<<30 {
		return nil, errors.New("storetest: no message of PostgreSQL")
	}
	b := make([]byte, n-4)
	_, err := io.ReadFull(from, b)
	return b, err
}
