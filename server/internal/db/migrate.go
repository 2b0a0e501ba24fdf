package db

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

//go:embed migrations
var migrations embed.FS

// ourMigrations are the migrations in the files, for one database.
func ourMigrations(dialect goose.Dialect, db *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migrations/"+string(dialect))
	if err != nil {
		return nil, fmt.Errorf("store: migrations: %w", err)
	}
	all, err := goose.NewProvider(dialect, db, dir, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("store: migrations: %w", err)
	}
	return all, nil
}

// migrate migrates our tables and River's, and returns the versions that this program wants. If a
// newer version has made tables that this program cannot use, it changes nothing and returns
// ErrNewer. If the tables must not change, it only compares the versions.
func migrate(ctx context.Context, d *sqldb.DB, unchanged bool, log *slog.Logger) (want Tables, err error) {
	if want, err = KnownTables(string(d.Kind())); err != nil {
		return want, err
	}
	if unchanged {
		return want, notOlder(upToDate(ctx, d.Writer(), want))
	}
	err = d.ChangeTables(ctx,
		func(ctx context.Context) error {
			if err := finished(ctx, d, want); !errors.Is(err, ErrNewer) {
				return err
			}
			return nil // there is nothing to change
		},
		func(ctx context.Context, db *bun.DB, river sqldb.RiverMigrator) error {
			return changeTables(ctx, d.Kind(), db, river, log)
		})
	if err != nil {
		return want, err
	}
	return want, upToDate(ctx, d.Writer(), want)
}

// changeTables runs the missing migrations. Each migration is a separate transaction, so a
// killed process leaves only complete migrations.
func changeTables(ctx context.Context, kind goose.Dialect, db *bun.DB, river sqldb.RiverMigrator, log *slog.Logger) error {
	ours, err := ourMigrations(kind, db.DB)
	if err != nil {
		return err
	}
	have, want, err := ours.GetVersions(ctx)
	if err != nil {
		return wrap("look at migrations", err)
	}
	changing, began := have > 0 && have < want, time.Now() // the tables of a new database take no time
	if changing {
		log.Info("changing the tables", "from", have, "to", want)
	}
	if _, err := ours.Up(ctx); err != nil {
		return wrap("migrate", err)
	}
	if err := queue.Migrate(ctx, kind, db, river); err != nil {
		return err
	}
	if changing {
		log.Info("changed the tables", "took", time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// finished is upToDate. It also returns an error if a process was killed between River's migrations
// and our additions to River's tables.
func finished(ctx context.Context, d *sqldb.DB, want Tables) error {
	if err := upToDate(ctx, d.Writer(), want); err != nil {
		return err
	}
	have, err := tablesOf(ctx, d.Writer())
	if err != nil || have.Newer(want) { // a newer version decides about its additions
		return err
	}
	missing, err := queue.Missing(ctx, d.Kind(), d.Writer())
	if err == nil && missing != "" {
		err = fmt.Errorf("%w: without %s", errOlder, missing)
	}
	return err
}

// haveVersions reads the numbers of the last migrations that have run: ours, and River's.
const haveVersions = `SELECT
	(SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied) AS ours,
	(SELECT coalesce(max(version), 0) FROM (` + queue.MigrationsDone + `) AS done) AS rivers`

// tablesOf are the versions of the tables of a database.
func tablesOf(ctx context.Context, db bun.IDB) (have Tables, err error) {
	err = db.NewRaw(haveVersions).Scan(ctx, &have)
	return have, wrap("look at migrations", err)
}

// upToDate returns an error unless all wanted migrations have been applied. Newer tables are
// accepted if they are compatible, because another process may have been upgraded first.
func upToDate(ctx context.Context, db bun.IDB, want Tables) error {
	have, err := tablesOf(ctx, db)
	if err != nil {
		return err
	}
	if have.Ours < want.Ours || have.Rivers < want.Rivers {
		return fmt.Errorf("%w: at %d and %d, want %d and %d", errOlder, have.Ours, have.Rivers, want.Ours, want.Rivers)
	}
	return compatible(ctx, db, have, want)
}

var errOlder = errors.New("store: the tables are of an older version")

// notOlder says what to do about tables of an older version.
func notOlder(err error) error {
	if !errors.Is(err, errOlder) {
		return err
	}
	return &sqldb.Fault{
		Found: "the tables of the database are of an older version", Err: err,
		Cure: `use the program of that version, or update the tables first with "transcriptd migrate"`,
	}
}
