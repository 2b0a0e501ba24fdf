// Package storetest gives tests a database of their own, SQLite or PostgreSQL, and a bucket of
// their own on an S3 server.
//
// PostgreSQL is a private cluster in a temporary directory. The first test that needs it starts
// it, and it ends with the test binary in every case. A benchmark gets a server with the
// settings that PostgreSQL ships, which keeps every commit on the disk; the server of tests does
// not. The cluster needs no configuration. If the
// programs are not installed, the test is skipped, or fails with CI=true in the environment.
// "make setup" installs the S3 server into the repository's folder bin; without it the test
// fails.
package storetest

import (
	"hash/fnv"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/store"
)

// Each runs test on both databases, in parallel subtests. The options name an empty database
// and a folder for blobs, which are removed after the subtest. With -short, one of the subtests
// skips: the name of the test chooses which, so about half of all tests run on each database.
// Under the race detector the other subtest skips: make test and make test-race together run
// each test on both databases.
func Each(t *testing.T, test func(t *testing.T, o store.Options)) {
	t.Helper()
	each(t, skippedDatabase(t.Name()), test)
}

// Both is Each for a test of what differs between the databases: migrations, locks,
// transactions, listeners. Both runs on both databases with -short too.
func Both(t *testing.T, test func(t *testing.T, o store.Options)) {
	t.Helper()
	each(t, "", test)
}

func each(t *testing.T, skipped string, test func(t *testing.T, o store.Options)) {
	t.Helper()
	for _, database := range databases {
		t.Run(database.name, func(t *testing.T) {
			t.Parallel()
			if database.name == skipped {
				t.Skip("with -short, this test runs on the other database")
			}
			test(t, database.make(t))
		})
	}
}

var databases = [...]struct {
	name string
	make func(testing.TB) store.Options
}{{"sqlite", SQLite}, {"postgres", Postgres}}

// skippedDatabase names the database on which a test does not run. Without -short the name is
// empty.
func skippedDatabase(test string) string {
	if !testing.Short() {
		return ""
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(test)) // a hash.Hash returns no error
	return databases[(sum.Sum32()+underDetector)%2].name
}

// SQLite returns options with an empty SQLite database and a folder for blobs.
func SQLite(t testing.TB) store.Options {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	require.NoError(t, WriteSQLite(path))
	return store.Options{Database: "sqlite:" + path, Blobs: filepath.Join(dir, "blobs")}
}

// Postgres returns options with an empty PostgreSQL database and a folder for
// blobs.
func Postgres(t testing.TB) store.Options {
	t.Helper()
	return store.Options{
		Database: newDatabase(t),
		Blobs:    filepath.Join(t.TempDir(), "blobs"),
	}
}

// Open opens a store and closes it when the test ends.
func Open(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}
