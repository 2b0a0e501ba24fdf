package db_test

import (
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

// TestMigrationKeepsRows brings the tables of the first version, each with rows, up to the last
// migrations, ours and River's, and loses no row.
func TestMigrationKeepsRows(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		old := open(t, o)
		ours, rivers := allMigrations(t, o)
		requireVersions(t, old, ours, rivers)
		queueGoesBack(t, old, o)
		goBack(t, old, o, 1)
		requireVersions(t, old, 1, rivers-1)
		old = open(t, o) // without the plans of the tables before
		fillTables(t, old, o, 200)
		before, queued := old.dump(t, o), old.count(t, "river_job")
		for table, rows := range before {
			require.NotEmpty(t, rows, "fillTables fills %s", table)
		}

		s := dbtest.Open(t, o)
		requireVersions(t, old, ours, rivers)
		require.NoError(t, s.Ping(t.Context()))
		now := open(t, o)
		requireKept(t, before, now.dump(t, o))
		require.Equal(t, queued, now.count(t, "river_job"))
		indexes := "sqlite_master WHERE name IN ('river_job_of_extraction', 'river_job_returned')"
		if s.Shared() {
			indexes = "pg_indexes WHERE indexname IN ('river_job_extraction', 'river_job_returned')"
		}
		require.Equal(t, 2, now.count(t, indexes), "indexes on River's table")

		goBack(t, now, o, 1)
		require.Equal(t, before, open(t, o).dump(t, o), "after the way back")
		goBack(t, open(t, o), o, 0)
		require.Empty(t, open(t, o).dump(t, o), "tables are left")
		requireThere(t, dbtest.Open(t, o))
	})
}

// requireKept requires all rows of the tables before, with all their columns.
func requireKept(t *testing.T, before, now map[string][]columns) {
	t.Helper()
	for table, rows := range before {
		require.Len(t, now[table], len(rows), table)
		for n, row := range rows {
			for column, value := range row {
				require.Equal(t, value, now[table][n][column], "%s.%s", table, column)
			}
		}
	}
}

// While processes are upgraded one after the other, the old ones go on, and even
// start, though the database is ahead of them. That the newer tables still have the
// columns which they write is for the migrations to see to: CONTRIBUTING.md, a column.
func TestNewerTables(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		open(t, o).exec(t, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, true)`)
		requireThere(t, s)
		requireThere(t, dbtest.Open(t, o))
	})
}

// allMigrations are the last versions of our tables and of River's.
func allMigrations(t *testing.T, o db.Options) (ours, rivers int64) {
	t.Helper()
	all, err := db.OwnMigrations(dialect(o), open(t, o).DB)
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
	all, err := db.OwnMigrations(dialect(o), old.DB)
	require.NoError(t, err)
	_, err = all.DownTo(t.Context(), version)
	require.NoError(t, err)
}

// goForth does our migrations up to a version.
func goForth(t *testing.T, old database, o db.Options, version int64) {
	t.Helper()
	all, err := db.OwnMigrations(dialect(o), old.DB)
	require.NoError(t, err)
	_, err = all.UpTo(t.Context(), version)
	require.NoError(t, err)
}
