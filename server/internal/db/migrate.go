package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

//go:embed migrations
var migrations embed.FS

// ourMigrations are the migrations of the files, on one database.
func ourMigrations(dialect goose.Dialect, db *bun.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migrations/"+string(dialect))
	if err != nil {
		return nil, fmt.Errorf("store: migrations: %w", err)
	}
	all, err := goose.NewProvider(dialect, db.DB, dir, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("store: migrations: %w", err)
	}
	return all, nil
}

// newest are the versions of the last migrations of this program and of its River.
func newest(kind goose.Dialect, pool *bun.DB) (v Tables, err error) {
	ours, err := ourMigrations(kind, pool)
	if err != nil {
		return v, err
	}
	for _, m := range ours.ListSources() {
		v.Ours = max(v.Ours, m.Version)
	}
	rivers, err := sqldb.RiverMigrations(kind)
	if err != nil {
		return v, fmt.Errorf("store: queue migrations: %w", err)
	}
	for _, m := range rivers {
		v.Rivers = max(v.Rivers, int64(m.Version))
	}
	return v, nil
}

// migrate brings our tables and River's up to date, and returns the versions that this
// program wants. It changes nothing if a newer version has made tables that this program
// cannot use: that is ErrNewer. If the tables are to stay unchanged, it only looks.
func migrate(ctx context.Context, d *sqldb.DB, unchanged bool, log *slog.Logger) (want Tables, err error) {
	if want, err = newest(d.Kind(), d.Writer()); err != nil {
		return want, err
	}
	if unchanged {
		return want, notOlder(upToDate(ctx, d.Writer(), want))
	}
	err = d.ChangeTables(ctx,
		func(ctx context.Context) error {
			if err := upToDate(ctx, d.Writer(), want); !errors.Is(err, ErrNewer) {
				return err
			}
			return nil // there is nothing to change
		},
		func(ctx context.Context) error { return changeTables(ctx, d, log) })
	if err != nil {
		return want, err
	}
	return want, upToDate(ctx, d.Writer(), want)
}

func changeTables(ctx context.Context, d *sqldb.DB, log *slog.Logger) error {
	ours, err := ourMigrations(d.Kind(), d.Writer())
	if err != nil {
		return err
	}
	if _, err := ours.Up(ctx); err != nil {
		return wrap("migrate", err)
	}
	rivers, err := d.RiverMigrator(&rivermigrate.Config{Logger: sqldb.Quiet(log)})
	if err != nil {
		return fmt.Errorf("store: queue migrations: %w", err)
	}
	if _, err := rivers.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return wrap("migrate queue", err)
	}
	for _, index := range riverIndexes {
		if _, err := d.Writer().ExecContext(ctx, index); err != nil {
			return wrap("migrate queue", err)
		}
	}
	return nil
}

// upToDate returns an error unless all wanted migrations have been applied. Newer tables are
// fine, unless they are not compatible: another process may have been upgraded first.
func upToDate(ctx context.Context, db bun.IDB, want Tables) error {
	var have Tables
	err := db.NewRaw(haveVersions).Scan(ctx, &have)
	if err != nil {
		return wrap("look at migrations", err)
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
