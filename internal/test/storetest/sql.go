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

// RefuseDeletes has a database refuse to delete rows of a table, until mend is called.
func RefuseDeletes(t *testing.T, o store.Options, table string) (mend func()) {
	t.Helper()
	exec := func(statement string) {
		_, err := SQL(t, o).ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	if !IsPostgres(o) {
		exec("CREATE TRIGGER refused BEFORE DELETE ON " + table + " BEGIN SELECT RAISE(ABORT, 'refused'); END")
		return func() { exec("DROP TRIGGER refused") }
	}
	exec("CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$ LANGUAGE plpgsql")
	exec("CREATE TRIGGER refused BEFORE DELETE ON " + table + " FOR EACH ROW EXECUTE FUNCTION refuse()")
	return func() { exec("DROP TRIGGER refused ON " + table) }
}
