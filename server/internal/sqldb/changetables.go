package sqldb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

const (
	// sqliteChangeWait is how long another process may take to change the tables of a file.
	sqliteChangeWait = 5 * time.Second
	// pgChangeLock is the advisory lock under which tables are changed.
	pgChangeLock = 0x7472616e73637274
	// pgLockWait is how long a change of tables waits for the lock of a table. Meanwhile
	// everyone who wants to write to the table waits behind it.
	pgLockWait = 2 * time.Second
	// pgLockPause is how long the others then may use the table.
	pgLockPause = 3 * time.Second
)

// ChangeTables changes tables on the connections of db: our tables with statements, and
// River's with the migrator. After an error, ChangeTables may be called again, and
// continues.
type ChangeTables func(ctx context.Context, db *bun.DB, river RiverMigrator) error

// RiverMigrator changes River's tables.
type RiverMigrator interface {
	AllVersions() []rivermigrate.Migration
	Migrate(ctx context.Context, direction rivermigrate.Direction, opts *rivermigrate.MigrateOpts) (*rivermigrate.MigrateResult, error)
}

// RiverMigrations are the migrations of River's tables on a kind of database.
func RiverMigrations(kind goose.Dialect) ([]rivermigrate.Migration, error) {
	var migrator RiverMigrator
	var err error
	if kind == goose.DialectPostgres {
		migrator, err = rivermigrate.New(riverpgxv5.New(nil), nil)
	} else {
		migrator, err = rivermigrate.New(riversqlite.New(nil), nil)
	}
	if err != nil {
		return nil, err
	}
	return migrator.AllVersions(), nil
}

// ChangeTables calls change unless upToDate returns nil. No other process changes tables at the
// same time. On SQLite, the error is ErrServed while another process serves the file. On
// PostgreSQL, change is called again for as long as another program locks the tables. The calls
// have no time limit.
func (d *DB) ChangeTables(ctx context.Context, upToDate func(ctx context.Context) error, change ChangeTables) error {
	return d.database.changeTables(unbounded(ctx), upToDate, change)
}

// changeTables changes tables only under the lock of the process that serves.
func (s *sqlite) changeTables(ctx context.Context, upToDate func(ctx context.Context) error, change ChangeTables) error {
	river, err := rivermigrate.New(riversqlite.New(s.write.DB), riverMigrates(s.log))
	if err != nil {
		return err
	}
	deadline := time.Now().Add(sqliteChangeWait)
	for {
		if upToDate(ctx) == nil {
			return nil
		}
		unlock, err := s.serve()
		if err == nil {
			return errors.Join(change(ctx, s.write, river), unlock())
		}
		// The process that holds the lock may change the tables itself.
		if !errors.Is(err, ErrServed) || time.Now().After(deadline) {
			return err
		}
		if !pause(ctx, 4) {
			return Wrap("migrate", context.Cause(ctx))
		}
	}
}

// changeTables lets one process at a time change the tables.
func (p *postgres) changeTables(ctx context.Context, upToDate func(ctx context.Context) error, change ChangeTables) (err error) {
	if upToDate(ctx) == nil {
		return nil
	}
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return Wrap("open", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(?)", int64(pgChangeLock)); err != nil {
		return Wrap("lock for migrations", err)
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(?)", int64(pgChangeLock))
		err = errors.Join(err, e)
	}()
	return p.changeLocked(ctx, change)
}

// changeLocked changes tables in turn with the programs that lock the tables.
func (p *postgres) changeLocked(ctx context.Context, change ChangeTables) error {
	config := p.pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = 2, 0, 0
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		if err := prepareConn(ctx, c); err != nil {
			return err
		}
		_, err := c.Exec(ctx, fmt.Sprintf("SET lock_timeout = %d", pgLockWait.Milliseconds()))
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return Wrap("open", err)
	}
	defer pool.Close()
	db := bun.NewDB(stdlib.OpenDBFromPool(pool), pgdialect.New())
	defer func() { _ = db.Close() }() // the pool closes the connections
	river, err := rivermigrate.New(riverpgxv5.New(pool), riverMigrates(p.log))
	if err != nil {
		return err
	}
	for {
		err := change(ctx, db, river)
		const lockNotAvailable, deadlock = "55P03", "40P01"
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != lockNotAvailable && refused.Code != deadlock {
			return err
		}
		p.log.Warn("the tables cannot be changed while another program locks them: pg_stat_activity shows the program", "err", err)
		if !rest(ctx, pgLockPause) {
			return Wrap("migrate", context.Cause(ctx))
		}
	}
}

// riverMigrates is the configuration of River's migrator.
func riverMigrates(log *slog.Logger) *rivermigrate.Config {
	return &rivermigrate.Config{Logger: Quiet(log)}
}
