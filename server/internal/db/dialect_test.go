package db_test

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// database looks at the tables behind the store's back.
type database struct{ *sql.DB }

func open(t testing.TB, o db.Options) database {
	t.Helper()
	return database{storetest.SQL(t, store.Options(o))}
}

func (d database) count(t *testing.T, table string) (n int) {
	t.Helper()
	require.NoError(t, d.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
	return n
}

func (d database) exec(t testing.TB, statement string) {
	t.Helper()
	_, err := d.ExecContext(t.Context(), statement)
	require.NoError(t, err)
}
