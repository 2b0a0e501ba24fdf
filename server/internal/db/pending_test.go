package db_test

import (
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// TestMigrationsAreTold names what an older database lacks, to a user who may only read.
func TestMigrationsAreTold(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		raw := open(t, o)
		found, err := db.Migrations(t.Context(), o)
		require.NoError(t, err)
		assert.Empty(t, found.Migrations)
		assert.Empty(t, found.Newer)

		queueGoesBack(t, raw, o)
		goBack(t, raw, o, 1)
		_, rivers := allMigrations(t, o)
		raw = open(t, o)
		before, files := raw.dump(t, o), filesBeside(t, o)
		found, err = db.Migrations(t.Context(), readOnly(t, raw, o))
		require.NoError(t, err)
		require.Len(t, found.Migrations, len(madeBy)+1)
		assert.Equal(t, "00002_compatibility.sql", found.Migrations[0])
		assert.Contains(t, found.Migrations[len(madeBy)], " of the queue: ")
		assert.NotContains(t, found.Database, "reader")
		requireVersions(t, raw, 1, rivers-1)
		assert.Equal(t, before, raw.dump(t, o))
		assert.Equal(t, files, filesBeside(t, o))
	})
}

// TestMigrationsOfNewerTables tells of tables that a newer version has made.
func TestMigrationsOfNewerTables(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		raw := open(t, o)
		raw.exec(t, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, true)`)
		raw.exec(t, `UPDATE compatibility SET release = 'v9.9.9'`)
		found, err := db.Migrations(t.Context(), o)
		require.NoError(t, err)
		assert.Empty(t, found.Migrations)
		assert.Equal(t, "v9.9.9", found.Newer)

		raw.exec(t, `UPDATE compatibility SET oldest = 1000`)
		_, err = db.Migrations(t.Context(), o)
		require.ErrorIs(t, err, db.ErrNewer)
	})
}

// TestMigrationsOfAMissingFile names all migrations for a file that a start would make, and makes
// no file.
func TestMigrationsOfAMissingFile(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	o.Database = "sqlite:" + filepath.Join(t.TempDir(), "new.db")
	_, rivers := allMigrations(t, dbtest.SQLite(t))
	found, err := db.Migrations(t.Context(), o)
	require.NoError(t, err)
	assert.Len(t, found.Migrations, 1+len(madeBy)+int(rivers))
	assert.Empty(t, filesBeside(t, o))
}

// readOnly are the options of a user of PostgreSQL who may only read. The tables of a SQLite file
// are read without a lock and without a log.
func readOnly(t *testing.T, raw database, o db.Options) db.Options {
	t.Helper()
	if !strings.HasPrefix(o.Database, "postgres") {
		return o
	}
	user := "reader_" + strings.ToLower(rand.Text())
	raw.exec(t, "CREATE ROLE "+user+" LOGIN")
	raw.exec(t, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO "+user)
	u, err := url.Parse(o.Database)
	require.NoError(t, err)
	u.User = url.User(user)
	query := u.Query()
	query.Del("user")
	u.RawQuery = query.Encode()
	o.Database = u.String()
	return o
}

// filesBeside are the names of the files in the folder of a SQLite file.
func filesBeside(t *testing.T, o db.Options) (names []string) {
	t.Helper()
	path, ok := strings.CutPrefix(o.Database, "sqlite:")
	if !ok {
		return nil
	}
	all, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, file := range all {
		names = append(names, file.Name())
	}
	return names
}
