package sqldb_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/outage"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

func TestErrorsThatPass(t *testing.T) {
	t.Parallel()
	_, refused := pgx.Connect(t.Context(), "postgres://nobody@127.0.0.1:1/none")
	require.Error(t, refused)
	for name, tc := range map[string]struct {
		err  error
		want bool
	}{
		"nothing listens":          {refused, true},
		"connection lost":          {&pgconn.PgError{Code: "08006"}, true},
		"disk full":                {&pgconn.PgError{Code: "53100"}, true},
		"too many connections":     {&pgconn.PgError{Code: "53300"}, true},
		"input or output failed":   {&pgconn.PgError{Code: "58030"}, true},
		"shut down":                {&pgconn.PgError{Code: "57P01"}, true},
		"crashed":                  {&pgconn.PgError{Code: "57P02"}, true},
		"starting":                 {&pgconn.PgError{Code: "57P03"}, true},
		"statement took too long":  {&pgconn.PgError{Code: "57014"}, true},
		"lock not to be had":       {&pgconn.PgError{Code: "55P03"}, true},
		"failed over":              {&pgconn.PgError{Code: "25006"}, true},
		"idle in transaction":      {&pgconn.PgError{Code: "25P03"}, true},
		"deadlock":                 {&pgconn.PgError{Code: "40P01"}, true},
		"connection reset":         {&net.OpError{Op: "read", Err: syscall.ECONNRESET}, true},
		"cut off":                  {fmt.Errorf("failed to receive message: %w", io.ErrUnexpectedEOF), true},
		"broken before":            {errors.New("failed to deallocate: conn closed"), true},
		"bad connection":           {driver.ErrBadConn, true},
		"connection given back":    {sql.ErrConnDone, true},
		"no answer in time":        {context.DeadlineExceeded, true},
		"caller has left":          {fmt.Errorf("query: %w", context.Canceled), false},
		"caller has left, timeout": {errors.Join(context.Canceled, context.DeadlineExceeded), false},
		"not unique":               {&pgconn.PgError{Code: "23505"}, false},
		"no such table":            {&pgconn.PgError{Code: "42P01"}, false},
		"no code":                  {&pgconn.PgError{}, false},
		"no rows":                  {sql.ErrNoRows, false},
		"a fault of ours":          {errors.New("no move from success to pending"), false},
		"none":                     {nil, false},
	} {
		got := sqldb.Classified(tc.err)
		assert.Equal(t, tc.want, errors.Is(got, outage.ErrUnavailable), name)
		assert.ErrorIs(t, got, tc.err, name)
		assert.Equal(t, got, sqldb.Classified(got), "%s: classified once", name)
	}
}

// SQLite's own errors, as its driver makes them.
func TestSQLiteErrorsThatPass(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, path, query string) *sql.DB {
		db, err := sql.Open("sqlite", "file:"+path+query)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		db.SetMaxOpenConns(1)
		return db
	}
	fill := func(db *sql.DB) error {
		_, err := db.Exec(`CREATE TABLE IF NOT EXISTS t (x); INSERT INTO t VALUES (randomblob(1000000))`)
		return err
	}
	for name, tc := range map[string]struct {
		err  func(t *testing.T, path string) error
		want bool
	}{
		"locked": {func(t *testing.T, path string) error {
			other := open(t, path, "")
			_, err := other.Exec("BEGIN EXCLUSIVE")
			require.NoError(t, err)
			return fill(open(t, path, ""))
		}, true},
		"full": {func(t *testing.T, path string) error {
			return fill(open(t, path, "?_pragma=max_page_count(3)"))
		}, true},
		"read only": {func(t *testing.T, path string) error {
			require.NoError(t, fill(open(t, path, "")))
			return fill(open(t, path, "?mode=ro"))
		}, true},
		"gone": {func(t *testing.T, path string) error {
			return fill(open(t, filepath.Join(path, "no", "folder"), ""))
		}, true},
		"not a statement": {func(t *testing.T, path string) error {
			_, err := open(t, path, "").Exec("SELEKT 1")
			return err
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tc.err(t, filepath.Join(t.TempDir(), "test.db"))
			require.Error(t, err)
			assert.Equal(t, tc.want, errors.Is(sqldb.Classified(err), outage.ErrUnavailable), "%v", err)
		})
	}
}
