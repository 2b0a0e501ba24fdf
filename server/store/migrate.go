package store

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
)

//go:embed migrations
var migrations embed.FS

// The newest migrations: ours, and River's of the version in go.mod.
const (
	ourVersion   = 7
	riverVersion = 7
)

// migrate brings our tables and River's up to date. The caller sees to it that
// nobody else does the same at the same time.
func migrate[T any](ctx context.Context, dialect goose.Dialect, db *sql.DB, driver riverdriver.Driver[T], log *slog.Logger) error {
	dir, err := fs.Sub(migrations, "migrations/"+string(dialect))
	if err != nil {
		return fmt.Errorf("store: migrations: %w", err)
	}
	ours, err := goose.NewProvider(dialect, db, dir, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("store: migrations: %w", err)
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
	return nil
}

// upToDate returns an error unless all migrations have been applied. A newer
// database is fine: another process may have been upgraded first.
func upToDate(ctx context.Context, db bun.IDB) error {
	var ours, rivers int
	err := db.NewRaw(`SELECT
		(SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied),
		(SELECT coalesce(max(version), 0) FROM river_migration WHERE line = 'main')`).
		Scan(ctx, &ours, &rivers)
	if err != nil {
		return wrap("look at migrations", err)
	}
	if ours < ourVersion || rivers < riverVersion {
		return fmt.Errorf("store: tables at version %d and %d, want %d and %d", ours, rivers, ourVersion, riverVersion)
	}
	return nil
}
