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
	// conns are few: what is asked is short.
	conns = 4
	// busyTimeout is how long a statement waits on SQLite for a write of the service,
	// which has a pool of its own on the same file.
	busyTimeout = 5 * time.Second
	// migrationTries is how often tables are looked at that another process may be
	// changing.
	migrationTries = 5
)

// database are the website's own tables. They stand in the service's database, which
// the service opens first, and have names that begin with "website_".
type database struct{ *bun.DB }

// openDatabase opens "sqlite:PATH" or a postgres:// URL, and brings the tables up to date.
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
		config, err := pgx.ParseConfig(name) // its error leaves the password out
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
	// The mode of the file's log is the service's choice, and stands in the file.
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "synchronous(NORMAL)"}}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	return name.String()
}

//go:embed migrations
var migrations embed.FS

// migrate also succeeds where another process does the same at the same time: one of
// them fails, and finds the tables there when it looks again.
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
