package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
)

// ErrNotFound means that there is no such row.
var ErrNotFound = errors.New("store: not found")

// ErrExists means that a unique row already exists. The transaction stays usable.
var ErrExists = errors.New("store: exists already")

// One converts the error of a query for a single row into an error of the store: no row is
// ErrNotFound.
func One(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return Wrap(what, err)
}

// ScanOne returns the row that a query finds, or ErrNotFound.
func ScanOne[T any](ctx context.Context, q *bun.SelectQuery, what string) (*T, error) {
	row := new(T)
	if err := q.Model(row).Scan(ctx); err != nil {
		return nil, One(what, err)
	}
	return row, nil
}

// InsertNew stores a row that must be new, or returns ErrExists. It does so
// without an error of the database, which would end a transaction on PostgreSQL.
func InsertNew(ctx context.Context, in bun.IDB, what string, row any) error {
	res, err := in.NewInsert().Model(row).On("CONFLICT DO NOTHING").Exec(ctx)
	n, err := Affected(res, err)
	if err == nil && n == 0 {
		return fmt.Errorf("%s: %w", what, ErrExists)
	}
	return Wrap(what, err)
}

// MustAffect returns ErrNotFound when a statement found no row.
func MustAffect(what string, res sql.Result, err error) error {
	n, err := Affected(res, err)
	if err == nil && n == 0 {
		return fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return Wrap(what, err)
}

// Affected returns how many rows a statement has changed.
func Affected(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
