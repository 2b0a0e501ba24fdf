package sqldb

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// session tells the other processes that this process lives. The process holds an advisory lock on
// its connection for notifications, under a number that no other process has. PostgreSQL releases
// the lock when the connection ends, so a moment after the end of the process. The lock is shared,
// because the server may not have noticed yet that the connection before is broken.
type session struct {
	number int64

	mu     sync.Mutex
	pooled bool // a pooler stands between, whose connections outlive this process
	since  time.Time
	again  bool // the lock was lost before since
}

// settled is how long a process that has lost its own lock does not judge other processes, because
// the cause may have broken all connections.
const settled = 10 * time.Second

func newSession() *session { return &session{number: 1 + rand.Int64N(math.MaxInt64)} }

// begin takes the lock on a new connection. Behind a pooler begin takes no lock.
func (s *session) begin(ctx context.Context, conn *pgx.Conn) error {
	var direct bool // a pooler makes up the number of the server's process
	err := conn.QueryRow(ctx, "SELECT pg_backend_pid() = $1", int64(conn.PgConn().PID())).Scan(&direct)
	if err == nil && direct {
		_, err = conn.Exec(ctx, "SELECT pg_advisory_lock_shared($1)", s.number)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pooled, s.since = !direct, time.Now()
	return nil
}

// lost notes that the connection of the lock has ended.
func (s *session) lost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since, s.again = time.Time{}, true
}

// judges reports whether this process may judge others by their locks.
func (s *session) judges() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.pooled && !s.since.IsZero() && (!s.again || time.Since(s.since) >= settled)
}

// Session is the number by which other processes learn that this process has ended: see Ended. 0
// means that they do not, because one process serves the database, or because a pooler stands
// between.
func (d *DB) Session() int64 {
	if d.session == nil {
		return 0
	}
	d.session.mu.Lock()
	defer d.session.mu.Unlock()
	if d.session.pooled {
		return 0
	}
	return d.session.number
}

// Ended returns those of the sessions that have ended. A session may also be without its lock for
// the moment in which its process replaces a broken connection. For 10 seconds after this process
// has lost its own connection, and behind a pooler, the answer is always that none has ended.
func (d *DB) Ended(ctx context.Context, sessions ...int64) (ended []int64, err error) {
	if len(sessions) == 0 || d.session == nil || !d.session.judges() {
		return nil, nil
	}
	err = d.Reader().NewRaw("SELECT session FROM unnest(ARRAY[?]::bigint[]) AS session WHERE pg_try_advisory_xact_lock(session)", bun.List(sessions)).
		Scan(ctx, &ended)
	return ended, Wrap("look for sessions that have ended", err)
}
