// Package sqldb opens a SQLite file, which one process serves, or a PostgreSQL, which many
// processes serve, and runs statements and transactions on it. Each call has a time limit.
// The package knows no tables. Its errors begin with "store:", the name that operators
// know.
package sqldb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river"
	"github.com/uptrace/bun"
)

// ErrServed means that another process serves the same SQLite file.
var ErrServed = errors.New("store: another process serves this database: stop that one, or name another; PostgreSQL takes any number of them")

// ErrNoDatabase means that there is no database of that name, or that the service has
// made no tables in it.
var ErrNoDatabase = errors.New("store: there is no such database")

// Options says where the database is.
type Options struct {
	// Database is "sqlite:PATH" or a "postgres://" URL. Required.
	Database string
	// MustExist makes Open return ErrNoDatabase for a database without tables, and make no
	// file.
	MustExist bool
	// FullSync makes each SQLite commit survive a power failure.
	FullSync bool
	// Inserts configures the River client that inserts in transactions. Required.
	Inserts *river.Config
	Log     *slog.Logger // required
	Drivers Drivers
}

// newerColumns lets statements pass over the columns that a newer version has added to tables.
var newerColumns = bun.WithDiscardUnknownColumns()

// DB is an open database. It is safe for concurrent use.
type DB struct {
	Dialect
	database database
	hub      *hub
	session  *session // nil means that one process serves the database
}

// Open opens the database and changes no table.
func Open(ctx context.Context, o Options) (*DB, error) {
	hub := newHub()
	if path, ok := strings.CutPrefix(o.Database, sqliteScheme); ok {
		s, err := openSQLite(ctx, path, o)
		if err != nil {
			return nil, Explain(ctx, o.Database, err)
		}
		return &DB{Dialect: s, database: s, hub: hub}, nil
	}
	if strings.HasPrefix(o.Database, "postgres://") || strings.HasPrefix(o.Database, "postgresql://") {
		p, err := openPostgres(ctx, o, hub)
		if err != nil {
			return nil, Explain(ctx, o.Database, err)
		}
		return &DB{Dialect: p, database: p, hub: hub, session: p.listener.session}, nil
	}
	scheme, _, _ := strings.Cut(o.Database, ":") // the rest may hold a password
	return nil, fmt.Errorf("store: database %q is neither sqlite:PATH nor a postgres:// URL", scheme)
}

// Close releases everything. The caller calls no method afterwards.
func (d *DB) Close() error { return d.database.close() }

// Reader is the pool for statements that only read. On SQLite it refuses others.
func (d *DB) Reader() *bun.DB { return d.database.reader() }

// Writer is the pool for single statements that write: see Enter.
func (d *DB) Writer() *bun.DB { return d.database.writer() }

// Kind is the dialect of the migrations.
func (d *DB) Kind() goose.Dialect { return d.database.kind() }

// RiverClient is the part of a River client that does not depend on the database.
type RiverClient interface {
	Start(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
	Queues() *river.QueueBundle
}

// RiverClient makes a River client that works.
func (d *DB) RiverClient(c *river.Config) (RiverClient, error) { return d.database.riverClient(c) }

// Serve marks this process as the one that serves. On SQLite it takes an exclusive lock on
// a file next to the database, and returns ErrServed if another process or another DB holds
// the lock. The lock ends with the process, or with release.
func (d *DB) Serve() (release func() error, err error) { return d.database.serve() }

// Watch returns a channel that receives a value after every commit, in any process, that
// has woken the topic. The channel never closes; stop releases it.
func (d *DB) Watch(topic string) (wake <-chan struct{}, stop func()) { return d.hub.watch(topic) }

// Announce wakes the watchers of a topic as another process would: through the database
// alone. It does not wait for the database.
func (d *DB) Announce(topic string) { d.database.announce(topic) }
