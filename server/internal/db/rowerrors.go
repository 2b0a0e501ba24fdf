package db

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Short names for the operations on rows in each file of the package.
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
