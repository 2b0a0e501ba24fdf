package db_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// TestMigrationKeepsRows brings a database up to the last migration of River, and loses no
// row. Our own tables have one migration, which can be undone and done again.
func TestMigrationKeepsRows(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, err := db.Open(t.Context(), o)
		require.NoError(t, err)
		e, _ := extraction(t, s, "acme", "beta")
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Enqueue(ctx, stepOf{e.ID})) })
		require.NoError(t, s.Close())

		old := open(t, o)
		ours, rivers := allMigrations(t, o)
		requireVersions(t, old, ours, rivers)
		queueGoesBack(t, old, o)
		requireVersions(t, old, ours, rivers-1)
		before := old.dump(t, o)
		require.Len(t, before["jobs"], 2)

		s = dbtest.Open(t, o)
		requireVersions(t, old, ours, rivers)
		require.NoError(t, s.Ping(t.Context()))
		now := open(t, o) // without the plans of the tables before
		require.Equal(t, before, now.dump(t, o))
		require.Equal(t, 1, now.count(t, "river_job WHERE state = 'available'"))
		indexes := "sqlite_master WHERE name IN ('river_job_extraction', 'river_job_returned')"
		if s.Shared() {
			indexes = "pg_indexes WHERE indexname IN ('river_job_extraction', 'river_job_returned')"
		}
		require.Equal(t, 2, now.count(t, indexes), "indexes on River's table")

		goBack(t, now, o, 0)
		require.Empty(t, now.dump(t, o), "tables are left")
		requireThere(t, dbtest.Open(t, o))
	})
}

// While processes are upgraded one after the other, the old ones go on, and even
// start, though the database is ahead of them. That the newer tables still have the
// columns which they write is for the migrations to see to: CONTRIBUTING.md, a column.
func TestNewerTables(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		open(t, o).exec(t, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, true)`)
		requireThere(t, s)
		requireThere(t, dbtest.Open(t, o))
	})
}

// allMigrations are the last versions of our tables and of River's.
func allMigrations(t *testing.T, o db.Options) (ours, rivers int64) {
	t.Helper()
	all, err := db.Migrations(dialect(o), open(t, o).DB)
	require.NoError(t, err)
	for _, m := range all.ListSources() {
		ours = max(ours, m.Version)
	}
	queue, err := rivermigrate.New(riversqlite.New(nil), nil)
	require.NoError(t, err)
	return ours, int64(len(queue.AllVersions()))
}

func requireVersions(t *testing.T, db database, ours, rivers int64) {
	t.Helper()
	var haveOurs, haveRivers int64
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT (SELECT max(version_id) FROM goose_db_version),
		(SELECT max(version) FROM river_migration WHERE line = 'main')`).Scan(&haveOurs, &haveRivers))
	require.Equal(t, []int64{ours, rivers}, []int64{haveOurs, haveRivers})
}

// queueGoesBack undoes the last of River's migrations.
func queueGoesBack(t *testing.T, db database, o db.Options) {
	t.Helper()
	one := &rivermigrate.MigrateOpts{MaxSteps: 1}
	if dialect(o) == goose.DialectSQLite3 {
		m, err := rivermigrate.New(riversqlite.New(db.DB), nil)
		require.NoError(t, err)
		_, err = m.Migrate(t.Context(), rivermigrate.DirectionDown, one)
		require.NoError(t, err)
		return
	}
	pool, err := pgxpool.New(t.Context(), o.Database)
	require.NoError(t, err)
	defer pool.Close()
	m, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	require.NoError(t, err)
	_, err = m.Migrate(t.Context(), rivermigrate.DirectionDown, one)
	require.NoError(t, err)
}

func dialect(o db.Options) goose.Dialect {
	if strings.HasPrefix(o.Database, "sqlite:") {
		return goose.DialectSQLite3
	}
	return goose.DialectPostgres
}

// goBack undoes our migrations down to a version.
func goBack(t *testing.T, old database, o db.Options, version int64) {
	t.Helper()
	all, err := db.Migrations(dialect(o), old.DB)
	require.NoError(t, err)
	_, err = all.DownTo(t.Context(), version)
	require.NoError(t, err)
}
