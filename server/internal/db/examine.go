package db

import (
	"context"

	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Examine checks the database and the place of the blobs without opening a store. It
// creates nothing and changes no table. It tests an object store with a small object, and
// removes the object.
func Examine(ctx context.Context, o Options) []engine.Finding {
	all := sqldb.Examine(ctx, o.Database, func(ctx context.Context, kind goose.Dialect, pool *bun.DB) error {
		want, err := KnownTables(string(kind))
		if err != nil {
			return err
		}
		return upToDate(ctx, pool, want)
	})
	return append(all, blobs.Examine(ctx, o.blobs()))
}
