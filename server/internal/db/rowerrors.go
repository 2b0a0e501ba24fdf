package db

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Short names for what each file of the package does with rows.
var (
	one        = sqldb.One
	wrap       = sqldb.Wrap
	insertNew  = sqldb.InsertNew
	mustAffect = sqldb.MustAffect
	affected   = sqldb.Affected
)

func scanOne[T any](ctx context.Context, q *bun.SelectQuery, what string) (*T, error) {
	return sqldb.ScanOne[T](ctx, q, what)
}
