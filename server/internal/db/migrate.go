package db

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

//go:embed migrations
var migrations embed.FS

// versions are those of the tables: ours, and River's.
type versions struct{ Ours, Rivers int64 }

// ourMigrations are those of the files, and those that fill, on one database.
func ourMigrations(dialect goose.Dialect, db *bun.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migrations/"+string(dialect))
	if err != nil {
		return nil, fmt.Errorf("store: migrations: %w", err)
	}
	filling := func(fill func(context.Context, *sql.Tx, schema.QueryGen) error) *goose.GoFunc {
		return &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error { return fill(ctx, tx, db.QueryGen()) }}
	}
	all, err := goose.NewProvider(dialect, db.DB, dir, goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(
		goose.NewGoMigration(fillVersion, filling(fill), nil),
		goose.NewGoMigration(fillSearchVersion, filling(fillSearch), nil),
	))
	if err != nil {
		return nil, fmt.Errorf("store: migrations: %w", err)
	}
	return all, nil
}

// newest are the last migrations of this program: its own migrations, and those of its
// version of River.
func newest[T any](dialect goose.Dialect, db *bun.DB, driver riverdriver.Driver[T]) (v versions, err error) {
	ours, err := ourMigrations(dialect, db)
	if err != nil {
		return v, err
	}
	for _, m := range ours.ListSources() {
		v.Ours = max(v.Ours, m.Version)
	}
	rivers, err := rivermigrate.New(driver, nil)
	if err != nil {
		return v, fmt.Errorf("store: queue migrations: %w", err)
	}
	for _, m := range rivers.AllVersions() {
		v.Rivers = max(v.Rivers, int64(m.Version))
	}
	return v, nil
}

// migrate brings our tables and River's up to date. The caller must make sure that no
// other process migrates at the same time.
func migrate[T any](ctx context.Context, dialect goose.Dialect, db *bun.DB, driver riverdriver.Driver[T], log *slog.Logger) error {
	ours, err := ourMigrations(dialect, db)
	if err != nil {
		return err
	}
	if _, err := ours.Up(ctx); err != nil {
		return wrap("migrate", err)
	}
	rivers, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: quiet(log)})
	if err != nil {
		return fmt.Errorf("store: queue migrations: %w", err)
	}
	if _, err := rivers.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return wrap("migrate queue", err)
	}
	for _, index := range riverIndexes {
		if _, err := db.ExecContext(ctx, index); err != nil {
			return wrap("migrate queue", err)
		}
	}
	return nil
}

// hasTables returns ErrNoDatabase where the query says that no migration has run.
func hasTables(ctx context.Context, db *bun.DB, query string) error {
	var there bool
	if err := db.NewRaw(query).Scan(ctx, &there); err != nil {
		return wrap("look for tables", err)
	}
	if !there {
		return ErrNoDatabase
	}
	return nil
}

// upToDate returns an error unless all wanted migrations have been applied. A
// newer database is fine: another process may have been upgraded first.
func upToDate(ctx context.Context, db bun.IDB, want versions) error {
	var have versions
	err := db.NewRaw(haveVersions).Scan(ctx, &have)
	if err != nil {
		return wrap("look at migrations", err)
	}
	if have.Ours < want.Ours || have.Rivers < want.Rivers {
		return fmt.Errorf("store: tables at version %d and %d, want %d and %d", have.Ours, have.Rivers, want.Ours, want.Rivers)
	}
	return nil
}
