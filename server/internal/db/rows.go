package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// one turns the error of a query for a single row into the package's own.
func one(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return wrap(what, err)
}

// wrap names what was done, and tells whether the error passes (ErrUnavailable).
func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store: %s: %w", what, classified(err))
}

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

// text returns s without NUL and without invalid UTF-8. Titles in media files have
// both, and PostgreSQL refuses them.
func text(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

// textOrNil is text of what may be nil.
func textOrNil(s *string) *string {
	if s == nil {
		return nil
	}
	clean := text(*s)
	return &clean
}

// newID fills in an id that the caller has not chosen: UUIDv7.
func newID(id *string) error {
	if *id != "" {
		return nil
	}
	v, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("store: id: %w", err)
	}
	*id = v.String()
	return nil
}

// stamp fills in a time that the caller has not chosen.
func stamp(times ...*time.Time) {
	now := time.Now()
	for _, t := range times {
		if t.IsZero() {
			*t = now
		}
		*t = moment(*t)
	}
}

// moment cuts a time to what both databases keep: microseconds, in UTC.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
