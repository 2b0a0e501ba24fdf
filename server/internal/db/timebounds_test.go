package db_test

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// patience is far above the 5 s that a request waits for a database that does not answer, because
// a busy machine adds to them. A connection that is silent would take many minutes.
const patience = 30 * time.Second

// calls are a look at the database, a statement that writes, and a transaction.
func calls(s *db.Store) map[string]func(context.Context) error {
	key := db.HeldKey{Token: "t"}
	return map[string]func(context.Context) error{
		"ping":  s.Ping,
		"write": func(ctx context.Context) error { return s.Idempotency.Release(ctx, key) },
		"transaction": func(ctx context.Context) error {
			return s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
				return tx.Accounts.Put(ctx, db.Account{ID: "acme"})
			})
		},
	}
}

// requireAway makes many calls at once, as requests do, and each must say soon
// that the database is away.
func requireAway(t *testing.T, s *db.Store, names ...string) {
	t.Helper()
	var all sync.WaitGroup
	for range 10 {
		for _, name := range names {
			all.Go(func() {
				began := time.Now()
				err := calls(s)[name](t.Context())
				assert.ErrorIs(t, err, db.ErrUnavailable, name)
				assert.Less(t, time.Since(began), patience, name)
			})
		}
	}
	all.Wait()
}

func requireThere(t *testing.T, s *db.Store) {
	t.Helper()
	for name, call := range calls(s) {
		require.NoError(t, call(t.Context()), name)
	}
}

func TestPostgresThatIsAway(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(*storetest.Line){"silent": (*storetest.Line).Silence, "gone": (*storetest.Line).Cut} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line, at := storetest.Behind(t, storetest.Postgres(t))
			s := dbtest.Open(t, db.Options(at))
			requireThere(t, s)
			away(line)
			requireAway(t, s, "ping", "write", "transaction")
			line.Mend()
			requireThere(t, s)
		})
	}
}

// Another program holds what the store wants: a table, or one row of it.
func TestPostgresThatIsLocked(t *testing.T) {
	t.Parallel()
	for name, lock := range map[string]string{
		"table": "LOCK TABLE accounts, idempotency_keys, goose_db_version IN ACCESS EXCLUSIVE MODE",
		"row":   "UPDATE accounts SET id = id",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := dbtest.Postgres(t)
			s := dbtest.Open(t, o)
			requireThere(t, s)
			other, err := pgx.Connect(t.Context(), o.Database)
			require.NoError(t, err)
			defer other.Close(context.Background()) //nolint:errcheck // of a test's connection
			_, err = other.Exec(t.Context(), "BEGIN; "+lock)
			require.NoError(t, err)
			if name == "table" {
				requireAway(t, s, "ping", "write", "transaction")
			} else {
				requireAway(t, s, "transaction")
			}
			_, err = other.Exec(t.Context(), "ROLLBACK")
			require.NoError(t, err)
			requireThere(t, s)
		})
	}
}

func TestSQLiteThatIsLocked(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	s := dbtest.Open(t, o)
	requireThere(t, s)
	other, err := sql.Open("sqlite", strings.TrimPrefix(o.Database, "sqlite:"))
	require.NoError(t, err)
	defer other.Close() //nolint:errcheck // of a test's connection
	other.SetMaxOpenConns(1)
	_, err = other.Exec("PRAGMA busy_timeout = 60000") // a transaction of the store may be under way
	require.NoError(t, err)
	_, err = other.Exec("BEGIN EXCLUSIVE")
	require.NoError(t, err)
	requireAway(t, s, "ping", "write", "transaction")
	_, err = s.Queue.Processes(t.Context())
	require.NoError(t, err, "what is stored is still read")
	_, err = other.Exec("ROLLBACK")
	require.NoError(t, err)
	requireThere(t, s)
}

// What nobody waits for has longer.
func TestUnhurried(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s := dbtest.Open(t, o)
	requireThere(t, s)
	other, err := pgx.Connect(t.Context(), o.Database)
	require.NoError(t, err)
	defer other.Close(context.Background()) //nolint:errcheck // of a test's connection
	_, err = other.Exec(t.Context(), "BEGIN; UPDATE accounts SET id = id")
	require.NoError(t, err)
	write := calls(s)["transaction"]
	done := make(chan error, 1)
	go func() { done <- write(db.Unhurried(t.Context())) }()
	require.ErrorIs(t, write(t.Context()), db.ErrUnavailable)
	assert.Empty(t, done)
	_, err = other.Exec(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, <-done)
}
