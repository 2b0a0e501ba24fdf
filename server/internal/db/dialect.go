package db

import (
	"context"
	"database/sql"
	"time"

	"github.com/riverqueue/river"
	"github.com/uptrace/bun"
)

// database is what SQLite and PostgreSQL do differently. Everything else is
// written once.
type database interface {
	reader() *bun.DB
	writer() *bun.DB
	// readGate is the line before the reader's connections.
	readGate() *gate
	// snapshotLevel is the isolation of a transaction whose reads see one moment.
	snapshotLevel() sql.IsolationLevel
	// prepared are the reader's statements that are prepared once; nil: none is.
	prepared() *prepared

	// wants are the versions of the tables that this program needs.
	wants() versions
	// gate is the line before the writer's connections.
	gate() *gate
	// begin starts a transaction, with a way to put jobs into the queue within it.
	begin(ctx context.Context) (*transaction, error)
	// retryable reports whether a transaction that ended with err may succeed when
	// it is run again.
	retryable(err error) bool
	// lock makes transactions with the same key serial.
	lock(ctx context.Context, tx bun.Tx, key string) error
	// forUpdate locks the rows that q selects until the end of the transaction.
	forUpdate(q *bun.SelectQuery) *bun.SelectQuery
	// announce tells the watchers in other processes, once the transaction commits.
	announce(ctx context.Context, tx bun.Tx, topics []string) error

	// worker makes the River client that works.
	worker(c *river.Config) (client, error)
	// workColumns are expressions for the process that has a queue job, and for the
	// job's arguments as text.
	workColumns() (owner, args string)
	// milliseconds is an expression for a time of River's, in milliseconds since 1970.
	milliseconds(column string) string
	// riverTime is a time as an argument, in the form in which River writes times.
	riverTime(t time.Time) any
	// riverNow is the present time in that form, by the clock that River goes by.
	riverNow() any
	// skipLocked locks the rows that q selects and that no other transaction has locked.
	skipLocked(q *bun.SelectQuery) *bun.SelectQuery

	// countRequest is CountRequest.
	countRequest(ctx context.Context, w RequestWindow, limit int) (Requests, error)

	// ago is the time that was d ago, as an argument of a statement: by the clock that
	// all processes share. On PostgreSQL that is the server's, on SQLite the process's.
	ago(d time.Duration) any

	// sizeQuery asks for the bytes of the database.
	sizeQuery() string

	shared() bool
	serve() (release func() error, err error)
	close() error
}

// transaction is a begun transaction.
type transaction struct {
	bun.Tx
	enqueue func(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) error
	// free gives the connection back, after commit or rollback.
	free func()
}
