package db_test

import (
	"database/sql"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// database looks at the tables behind the store's back.
type database struct{ *sql.DB }

func open(t *testing.T, o db.Options) database {
	t.Helper()
	driver, name := "pgx", o.Database
	if path, ok := strings.CutPrefix(o.Database, "sqlite:"); ok {
		driver, name = "sqlite", "file:"+path+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return database{db}
}

func (d database) count(t *testing.T, table string) (n int) {
	t.Helper()
	require.NoError(t, d.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
	return n
}

func (d database) exec(t *testing.T, statement string) {
	t.Helper()
	_, err := d.ExecContext(t.Context(), statement)
	require.NoError(t, err)
}
