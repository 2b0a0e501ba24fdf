package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// one turns the error of a query for a single row into the package's own.
func one(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return wrap(what, err)
}

// wrap names what was done, and adds ErrUnavailable to an error that passes.
func wrap(what string, err error) error { return sqldb.Wrap(what, err) }

// insertNew stores a row that must be new, or returns ErrExists. It does so
// without an error of the database, which would end a transaction on PostgreSQL.
func insertNew(ctx context.Context, db bun.IDB, what string, row any) error {
	res, err := db.NewInsert().Model(row).On("CONFLICT DO NOTHING").Exec(ctx)
	n, err := affected(res, err)
	if err == nil && n == 0 {
		return fmt.Errorf("%s: %w", what, ErrExists)
	}
	return wrap(what, err)
}

// scanOne returns the row that a query finds, or ErrNotFound.
func scanOne[T any](ctx context.Context, q *bun.SelectQuery, what string) (*T, error) {
	row := new(T)
	if err := q.Model(row).Scan(ctx); err != nil {
		return nil, one(what, err)
	}
	return row, nil
}

// mustAffect returns ErrNotFound when a statement found no row.
func mustAffect(what string, res sql.Result, err error) error {
	n, err := affected(res, err)
	if err == nil && n == 0 {
		return fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return wrap(what, err)
}

func affected(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
