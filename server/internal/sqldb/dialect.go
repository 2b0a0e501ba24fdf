package sqldb

import (
	"context"
	"database/sql"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river"
	"github.com/uptrace/bun"
)

// Dialect has the expressions that differ between SQLite and PostgreSQL.
type Dialect interface {
	// ForUpdate locks the rows that q selects until the end of the transaction.
	ForUpdate(q *bun.SelectQuery) *bun.SelectQuery
	// SkipLocked locks the rows that q selects and that no other transaction has locked.
	SkipLocked(q *bun.SelectQuery) *bun.SelectQuery
	// KeepUnlocked keeps the rows that q selects unchanged until the end of the transaction, and
	// leaves out a row that another transaction is changing. Others may keep the same rows.
	KeepUnlocked(q *bun.SelectQuery) *bun.SelectQuery
	// Ago returns the time d ago, as an argument of a statement, by the clock that all
	// processes share: the server's clock on PostgreSQL, the process's clock on SQLite.
	Ago(d time.Duration) any
	// SizeQuery asks for the size of the database in bytes.
	SizeQuery() string
	// Shared reports whether several processes may serve the database at once.
	Shared() bool

	// Elements are the elements of a JSON array of strings, as rows with the column value.
	Elements(array string) string

	// WorkColumns are expressions for the process that has a row of River's, for the row's
	// arguments as text, and for the work that the arguments name.
	WorkColumns() (owner, args, work string)
	// Milliseconds is an expression for a time of River's, in milliseconds since 1970.
	Milliseconds(column string) string
	// RiverTime is a time as an argument, in the form in which River writes times.
	RiverTime(t time.Time) any
	// RiverNow is the current time in that form, by River's clock.
	RiverNow() any
}

// database has the other differences between SQLite and PostgreSQL.
type database interface {
	kind() goose.Dialect
	reader() *bun.DB
	writer() *bun.DB
	// readGate is the line before the reader's connections.
	readGate() *gate
	// gate is the line before the writer's connections.
	gate() *gate
	// snapshotLevel is the isolation of a transaction whose reads see one moment.
	snapshotLevel() sql.IsolationLevel
	// questions are the reader's prepared statements.
	questions() prepared
	// changes are the writer's prepared statements.
	changes() prepared

	changeTables(ctx context.Context, upToDate func(ctx context.Context) error, change ChangeTables) error
	riverClient(c *river.Config) (RiverClient, error)

	// begin starts a transaction.
	begin(ctx context.Context) (*transaction, error)
	// retryable reports whether a transaction that ended with err may succeed when it is
	// run again.
	retryable(err error) bool
	// lock makes transactions with the same key serial.
	lock(ctx context.Context, tx bun.Tx, key string) error
	// announce tells the watchers in other processes, once the transaction commits.
	announce(topics ...string)

	serve() (release func() error, err error)
	dump(ctx context.Context, path string, read func(ctx context.Context, db bun.IDB) error) error
	close() error
}

// transaction is a begun transaction.
type transaction struct {
	bun.Tx
	// enqueue inserts a job of River's.
	enqueue func(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) error
	// free returns the connection, after commit or rollback.
	free func()
	// posted are the queues into which the transaction has put steps.
	posted []string
}
