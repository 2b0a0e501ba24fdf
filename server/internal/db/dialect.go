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
	worker(c *river.Config, h *hands) (worker, error)
	// workColumns are expressions for the process that has a queue job, and for the
	// job's arguments as text.
	workColumns() (owner, args string)

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
	// enqueue returns the id of the new row.
	enqueue func(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) (id int64, err error)
	// free gives the connection back, after commit or rollback.
	free func()
}

// worker is the part of a River client that does not depend on the database.
type worker interface {
	Start(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
}
