// Package dbtest gives a test its own open database, on SQLite and on PostgreSQL, with
// the help of package storetest:
//
//	func TestSomething(t *testing.T) {
//		t.Parallel()
//		dbtest.Each(t, func(t *testing.T, s *db.Store) {
//			...
//		})
//	}
package dbtest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/retention"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// Each runs test on both databases, in parallel subtests, with an empty store
// that is closed when the subtest ends.
func Each(t *testing.T, test func(t *testing.T, s *db.Store)) {
	t.Helper()
	EachDatabase(t, func(t *testing.T, o db.Options) { test(t, Open(t, o)) })
}

// EachDatabase is Each for tests that open the store themselves, more than once
// or in another process.
func EachDatabase(t *testing.T, test func(t *testing.T, o db.Options)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, o store.Options) { test(t, db.Options(o)) })
}

// Both is Each for a test of the differences between the databases, as storetest.Both.
func Both(t *testing.T, test func(t *testing.T, s *db.Store)) {
	t.Helper()
	BothDatabases(t, func(t *testing.T, o db.Options) { test(t, Open(t, o)) })
}

// BothDatabases is Both for tests that open the store themselves.
func BothDatabases(t *testing.T, test func(t *testing.T, o db.Options)) {
	t.Helper()
	storetest.Both(t, func(t *testing.T, o store.Options) { test(t, db.Options(o)) })
}

// SQLite is storetest.SQLite.
func SQLite(t testing.TB) db.Options {
	t.Helper()
	return db.Options(storetest.SQLite(t))
}

// Postgres is storetest.Postgres.
func Postgres(t testing.TB) db.Options {
	t.Helper()
	return db.Options(storetest.Postgres(t))
}

// Open opens a store and closes it when the test ends.
func Open(t testing.TB, o db.Options) *db.Store {
	t.Helper()
	s, err := db.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// Sweep removes old rows from all tables, as the hourly sweep of a service does. The service keeps
// ended jobs and the answers for idempotency keys as long as Sweep is told.
func Sweep(ctx context.Context, s *db.Store, jobs, answers time.Duration) error {
	return retention.Old(ctx, s, service.Tables(), tables.Kept{Jobs: jobs, Answers: answers})
}
