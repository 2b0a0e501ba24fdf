package dbtest

import (
	"database/sql/driver"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// Fault is a way in which a statement fails.
type Fault int

// The ways.
const (
	NoFault Fault = iota
	// The database refuses the statement, because it is out of space.
	Refused
	// The connection breaks before the database receives the statement.
	Cut
	// The database executes the statement, but its answer and the connection are lost.
	Lost
)

func (f Fault) String() string { return [...]string{"none", "refused", "cut", "lost"}[f] }

// Faults sits between a store and its database and makes one statement fail. BEGIN,
// COMMIT and ROLLBACK are statements too.
type Faults struct {
	mu    sync.Mutex
	armed bool
	n, at int
	as    Fault
	seen  []string        // statements since Arm, without those that an idle service makes
	rest  map[string]bool // whether a statement is one of those, because most are repeated often

	before func(statement string) // nil means nothing
}

// Faulty opens a store and closes it when the test ends. The faults sit between the store and its
// database.
func Faulty(t testing.TB, o db.Options) (*Faults, *db.Store) {
	t.Helper()
	f := new(Faults)
	if at := store.Options(o); storetest.IsPostgres(at) {
		o = db.Options(storetest.Between(t, at, func() storetest.Relay { return &relay{faults: f, prepared: map[string]string{}} }))
	}
	s, err := db.OpenThrough(t.Context(), o, sqldb.Drivers{SQLite: func(d driver.Driver) driver.Driver { return faultyDriver{d, f} }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return f, s
}

// Arm makes the n-th statement from now on fail, counted from 1; 0 means that none fails
// and the statements are only counted.
func (f *Faults) Arm(n int, as Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed, f.n, f.at, f.as, f.seen, f.rest = true, 0, n, as, nil, map[string]bool{}
}

// Before calls fn before each statement from now on, while the statement waits. On SQLite fn
// must not write, because a waiting statement may have the connection for writes.
func (f *Faults) Before(fn func(statement string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = fn
}

// Disarm returns the statements since Arm.
func (f *Faults) Disarm() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = false
	return f.seen
}

// atRest matches the statements that a service repeats without any request: heartbeats, checks
// for dead processes and for audio to delete, waits for notifications, the election of the
// leader, and scheduled tasks. The statement that fetches steps is not among them, because its
// answer contains the steps that it has marked as running.
var atRest = regexp.MustCompile(`(?i)\bprocesses\b|river_(leader|queue|client|notification|migration)|LISTEN|pg_notify|goose_db_version|` +
	`SELECT EXISTS \(SELECT 1 FROM river_job|name: (JobSchedule|JobGetStuck|JobDelete|QueueGet|Leader|Notify)|^(SET|PRAGMA|;)|` +
	`SET beat_at|pg_try_advisory_xact_lock|pg_advisory_lock_shared|pg_backend_pid|FROM blob_holds WHERE until|audio_ended_at <=|^\s*(-- ping)?\s*$`)

// next counts a statement and says how it must fail.
func (f *Faults) next(statement string) Fault {
	f.mu.Lock()
	before := f.before
	f.mu.Unlock()
	if before != nil {
		before(statement)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.armed {
		return NoFault
	}
	rest, known := f.rest[statement]
	if !known {
		rest = atRest.MatchString(statement)
		f.rest[statement] = rest
	}
	if rest {
		return NoFault
	}
	f.n++
	f.seen = append(f.seen, statement)
	if f.n == f.at {
		return f.as
	}
	return NoFault
}
