package visitor

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // the driver named "sqlite"
)

const (
	// conns is small, because the queries are short.
	conns = 4
	// busyTimeout bounds the wait of a statement on SQLite for a write of the service, which
	// has a pool of its own on the same file.
	busyTimeout = 5 * time.Second
	// migrationTries bounds the tries to migrate tables that another process may be changing.
	migrationTries = 5
)

// database holds the website's own tables, whose names begin with "website_". They are in the
// service's database, which the service opens first.
type database struct{ *bun.DB }

// openDatabase opens "sqlite:PATH" or a postgres:// URL, and updates the tables.
func openDatabase(ctx context.Context, name string) (*database, error) {
	d := &database{}
	dialect := goose.DialectPostgres
	if path, ok := strings.CutPrefix(name, "sqlite:"); ok {
		dialect = goose.DialectSQLite3
		pool, err := sql.Open("sqlite", sqliteName(path))
		if err != nil {
			return nil, fmt.Errorf("visitor: open database: %w", err)
		}
		d.DB = bun.NewDB(pool, sqlitedialect.New())
	} else {
		config, err := pgx.ParseConfig(name) // the error does not contain the password
		if err != nil {
			return nil, fmt.Errorf("visitor: database URL: %w", err)
		}
		config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // bun writes arguments into the statement
		d.DB = bun.NewDB(stdlib.OpenDB(*config), pgdialect.New())
	}
	d.SetMaxOpenConns(conns)
	d.SetMaxIdleConns(conns)
	if err := d.migrate(ctx, dialect); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func sqliteName(path string) string {
	// The service chooses the mode of the file's log, and the file records it.
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "synchronous(NORMAL)"}}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	return name.String()
}

//go:embed migrations
var migrations embed.FS

// migrate also succeeds if another process migrates at the same time: one of them fails, tries
// again, and finds the tables.
func (d *database) migrate(ctx context.Context, dialect goose.Dialect) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("visitor: migrations: %w", err)
	}
	all, err := goose.NewProvider(dialect, d.DB.DB, files, goose.WithTableName("website_goose_db_version"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("visitor: migrations: %w", err)
	}
	tries := backoff.WithContext(backoff.WithMaxRetries(backoff.NewExponentialBackOff(), migrationTries), ctx)
	err = backoff.Retry(func() error {
		_, err := all.Up(ctx)
		return err
	}, tries)
	if err != nil {
		return fmt.Errorf("visitor: making tables: %w", err)
	}
	return nil
}
