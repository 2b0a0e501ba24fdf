package db

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"
)

// OwnMigrations are ours, to be listed and undone: they fill nothing.
func OwnMigrations(d goose.Dialect, pool *sql.DB) (*goose.Provider, error) {
	return ourMigrations(d, pool)
}

// AnnounceElsewhere wakes a topic's watchers as another process would: through the
// database alone.
func (s *Store) AnnounceElsewhere(ctx context.Context, topic string) error {
	s.sql.Announce(topic)
	return nil
}

// FreeAll ends all leases of idempotency keys, as Serve does on SQLite.
func (s Idempotency) FreeAll(ctx context.Context) error { return s.freeAll(ctx) }
