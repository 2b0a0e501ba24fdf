package db

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
)

// Migrations are our own, to be listed and undone: they fill nothing.
func Migrations(d goose.Dialect, pool *sql.DB) (*goose.Provider, error) {
	return ourMigrations(d, bun.NewDB(pool, sqlitedialect.New()))
}

// AnnounceElsewhere wakes a topic's watchers as another process would: through the
// database alone.
func (s *Store) AnnounceElsewhere(ctx context.Context, topic string) error {
	return s.sql.Announce(ctx, topic)
}
