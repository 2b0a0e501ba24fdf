package db_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// mortal opens a store that the test closes, as the end of its process would.
func mortal(t *testing.T, o db.Options) *db.Store {
	t.Helper()
	s, err := db.Open(t.Context(), o)
	require.NoError(t, err)
	return s
}

// The key of a process that has ended is free at once, and what its request has recorded is the
// answer. The key of a process that lives is not.
func TestKeysOfAnEndedProcess(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, ends := dbtest.Open(t, o), mortal(t, o)
	raw := open(t, o)
	key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "k"}
	answered := key
	answered.Key = "answered"
	first, second := held(t, ends, key, ""), held(t, ends, answered, "")
	require.NoError(t, record(t, ends, second, "", db.Answer{Kind: db.JobAnswer, ID: "j"}, false))

	require.Nil(t, take(t, s, key, "").Held, "its process lives")
	require.NoError(t, ends.Close())
	require.Eventually(t, func() bool { // its lease does not end meanwhile
		raw.setKey(t, key.Key, "beat_at", 0)
		return take(t, s, key, "").Held != nil
	}, time.Minute, 10*time.Millisecond)
	require.ErrorIs(t, s.Idempotency.Beat(t.Context(), first), db.ErrKeyLost)

	raw.setKey(t, answered.Key, "beat_at", 0)
	assert.Equal(t, &db.Answer{Kind: db.JobAnswer, ID: "j"}, take(t, s, answered, "").Answer)
}

// A process whose connection breaks has its session again under a new connection. Until it knows
// that other connections have not broken as well, it finds no process ended.
func TestSessionOutlivesItsConnection(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	judge, breaks, ends, raw := dbtest.Open(t, o), dbtest.Open(t, o), mortal(t, o), open(t, o)
	locked := func(s *db.Store) (pid int) {
		err := raw.QueryRowContext(t.Context(), `SELECT coalesce(max(pid), 0) FROM pg_locks
			WHERE locktype = 'advisory' AND (CAST(classid AS bigint) << 32) | CAST(objid AS bigint) = $1`, s.SQL().Session()).Scan(&pid)
		require.NoError(t, err)
		return pid
	}
	before := locked(breaks)
	_, err := raw.ExecContext(t.Context(), `SELECT pg_terminate_backend($1, 5000)`, before)
	require.NoError(t, err)
	require.Eventually(t, func() bool { pid := locked(breaks); return pid != 0 && pid != before }, time.Minute, 10*time.Millisecond)
	found, err := judge.SQL().Ended(t.Context(), breaks.SQL().Session())
	require.NoError(t, err)
	assert.Empty(t, found)

	require.NoError(t, ends.Close())
	require.Eventually(t, func() bool {
		found, err := judge.SQL().Ended(t.Context(), ends.SQL().Session())
		return err == nil && len(found) == 1
	}, time.Minute, 10*time.Millisecond)
	found, err = breaks.SQL().Ended(t.Context(), ends.SQL().Session())
	require.NoError(t, err)
	assert.Empty(t, found)
}

// Behind a pooler a process has no session: the connection of a pooler outlives the process, or
// ends before.
func TestNoSessionBehindAPooler(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	direct := dbtest.Open(t, o)
	require.NotZero(t, direct.SQL().Session())
	behind := o
	behind.Database = pooler(t, o.Database)
	s := dbtest.Open(t, behind)
	assert.Zero(t, s.SQL().Session())
	runner(t, s, queue.Workers{Process: "p", Workers: workers(nil)})
	all, err := direct.Queue.Processes(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Zero(t, all[0].Session)
	ended, err := s.SQL().Ended(t.Context(), 42)
	require.NoError(t, err)
	assert.Empty(t, ended)
	require.NotNil(t, take(t, s, db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "k"}, "one").Held)
}

// pooler passes connections on to the server of a database, as a pooler does: it tells clients a
// process number of its own. It returns the URL of the database behind it.
func pooler(t *testing.T, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	require.NoError(t, err)
	config, err := pgconn.ParseConfig(database)
	require.NoError(t, err)
	network, server := pgconn.NetworkAddress(config.Host, config.Port)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var running sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); running.Wait() })
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { pass(c, network, server) })
		}
	})
	u.Host, u.RawQuery = l.Addr().String(), "sslmode=disable"
	return u.String()
}

func pass(client net.Conn, network, address string) {
	defer client.Close()
	server, err := net.Dial(network, address)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(server, client); _ = server.Close() }() // ends the loop below
	b := make([]byte, 64<<10)
	for {
		n, err := server.Read(b)
		if err != nil {
			return
		}
		if at := bytes.Index(b[:n], []byte{'K', 0, 0, 0, 12}); at >= 0 { // BackendKeyData
			binary.BigEndian.PutUint32(b[at+5:], 1<<30)
		}
		if _, err := client.Write(b[:n]); err != nil {
			return
		}
	}
}
