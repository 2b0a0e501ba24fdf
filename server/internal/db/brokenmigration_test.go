package db_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// TestMigrationGoesOn opens a database after each step at which a process that migrates may have
// been killed. The tables then are those of a new database.
func TestMigrationGoesOn(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		raw := open(t, o)
		want := schema(t, raw, o)
		last, rivers := allMigrations(t, o)
		index := "river_job_extraction"
		if dialect(o) == goose.DialectSQLite3 {
			index = "river_job_of_extraction"
		}
		killed := map[string]func(){
			"before River's last migration": func() { queueGoesBack(t, raw, o) },
			"before the indexes":            func() { raw.exec(t, "DROP INDEX "+index); raw.exec(t, "DROP INDEX river_job_returned") },
			"before the last index":         func() { raw.exec(t, "DROP INDEX river_job_returned") },
		}
		for version := range last {
			killed[fmt.Sprint("after our migration ", version)] = func() { queueGoesBack(t, raw, o); goBack(t, raw, o, version) }
		}
		for when, kill := range killed {
			kill()
			s, err := db.Open(t.Context(), o)
			require.NoError(t, err, when)
			require.NoError(t, s.Close())
			requireVersions(t, raw, last, rivers)
			assert.Equal(t, want, schema(t, open(t, o), o), when)
		}
	})
}

// schema are the columns and the indexes of a database, in the order of their names.
func schema(t *testing.T, raw database, o db.Options) (all []string) {
	t.Helper()
	list := "SELECT name || coalesce(sql, '') AS made FROM sqlite_master"
	if dialect(o) == goose.DialectPostgres {
		list = `SELECT table_name || '.' || column_name || ' ' || data_type || is_nullable AS made FROM information_schema.columns WHERE table_schema = 'public'
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'`
	}
	for _, row := range raw.query(t, list) {
		all = append(all, fmt.Sprint(row["made"]))
	}
	slices.Sort(all)
	return all
}

// TestMigrationIsKilled kills a process in the middle of a migration, which leaves nothing of it.
func TestMigrationIsKilled(t *testing.T) {
	if database := os.Getenv("STORE_TEST_MIGRATE"); database != "" {
		dbtest.Open(t, db.Options{Database: database, Blobs: blobs.InMemory})
		return
	}
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		raw := open(t, o)
		want := schema(t, raw, o)
		last, rivers := allMigrations(t, o)
		goBack(t, raw, o, 2)
		raw = open(t, o)
		before := schema(t, raw, o)
		stuck, free := stick(t, raw, o)
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMigrationIsKilled$")
		child.Env = append(os.Environ(), "STORE_TEST_MIGRATE="+o.Database)
		require.NoError(t, child.Start())
		require.Eventually(t, stuck, time.Minute, time.Millisecond)
		require.NoError(t, child.Process.Kill())
		require.Error(t, child.Wait())
		free()
		requireVersions(t, raw, 2, rivers)
		require.Equal(t, before, schema(t, open(t, o), o))

		s := dbtest.Open(t, o)
		require.NoError(t, s.Ping(t.Context()))
		requireVersions(t, raw, last, rivers)
		require.Equal(t, want, schema(t, open(t, o), o))
	})
}

// stick lets the third migration stand still in its middle until free is called. stuck reports that
// it does.
func stick(t *testing.T, raw database, o db.Options) (stuck func() bool, free func()) {
	t.Helper()
	if dialect(o) == goose.DialectPostgres {
		tx, err := raw.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		_, err = tx.ExecContext(t.Context(), "LOCK TABLE extractions IN ROW EXCLUSIVE MODE")
		require.NoError(t, err)
		return func() bool {
				return raw.count(t, "pg_locks WHERE NOT granted AND relation = 'extractions'::regclass") > 0
			},
			func() { require.NoError(t, tx.Rollback()) }
	}
	raw.exec(t, `CREATE TRIGGER slow AFTER UPDATE ON compatibility BEGIN
		SELECT count(*) FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 1000000000); END`)
	conn, err := raw.Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "PRAGMA busy_timeout = 100")
	require.NoError(t, err)
	return func() bool { // another program has been writing for 100 ms
			_, err := conn.ExecContext(t.Context(), "DELETE FROM goose_db_version WHERE false")
			return err != nil
		}, func() {
			require.NoError(t, conn.Close())
			raw.exec(t, "DROP TRIGGER slow")
		}
}

// TestMigrationAtOnce lets several processes find tables of an older version.
func TestMigrationAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		goBack(t, open(t, o), o, 1)
		var log bytes.Buffer
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		openAtOnce(t, o)
		assert.Equal(t, 1, strings.Count(log.String(), `msg="changing the tables" from=1`), log.String())
	})
}

// TestMigrationOfAReplica names the cure for a server that takes no writes.
func TestMigrationOfAReplica(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	goBack(t, open(t, o), o, 1)
	u, err := url.Parse(o.Database)
	require.NoError(t, err)
	query := u.Query()
	query.Set("default_transaction_read_only", "on")
	u.RawQuery = query.Encode()
	o.Database = u.String()
	_, err = db.Open(t.Context(), o)
	require.ErrorContains(t, err, "takes no writes: name the server that it copies")
}

// TestMigrationWaitsBehindTheService lets a migration wait for a table that a long transaction
// writes to. Other transactions write to the table meanwhile.
func TestMigrationWaitsBehindTheService(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	goBack(t, raw, o, 2)
	stuck, free := stick(t, raw, o)
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	opened := make(chan error, 1)
	go func() {
		s, err := db.Open(t.Context(), o)
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	require.Eventually(t, stuck, time.Minute, time.Millisecond)
	raw.exec(t, `UPDATE extractions SET attempt = attempt`) // waits behind the migration until the migration gives up for a while
	select {
	case err := <-opened:
		require.Fail(t, "the migration ran through a lock", "%v", err)
	default:
	}
	free()
	require.NoError(t, receive(t, opened))
	assert.Contains(t, log.String(), "pg_stat_activity")
	requireThere(t, s)
}
