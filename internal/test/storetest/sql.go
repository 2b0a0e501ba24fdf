package storetest

import (
	"database/sql"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/transcriptkit/transcriptkit/server/store"
)

// SQL opens the database without the store. The database is closed when the test ends.
func SQL(t testing.TB, o store.Options) *sql.DB {
	t.Helper()
	db := openSQL(t, o)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// Count counts the rows of a table, or of a selection such as "jobs WHERE status = 'failed'".
func Count(t testing.TB, o store.Options, rows string) (n int) {
	t.Helper()
	db := openSQL(t, o)
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+rows).Scan(&n))
	require.NoError(t, db.Close())
	return n
}

func openSQL(t testing.TB, o store.Options) *sql.DB {
	t.Helper()
	driver, name := "pgx", o.Database
	if path, ok := strings.CutPrefix(o.Database, "sqlite:"); ok {
		driver, name = "sqlite", "file:"+path+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, name)
	require.NoError(t, err)
	return db
}
