package db_test

import (
	"context"
	"database/sql/driver"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestStatementsArePreparedOnce asks the same questions and makes the same changes many
// times: SQLite prepares each of them at most once for each connection.
func TestStatementsArePreparedOnce(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	counted := &preparations{of: map[string]int{}}
	through := sqldb.Drivers{SQLite: func(d driver.Driver) driver.Driver { return countingDriver{d, counted} }}
	s, err := db.OpenThrough(t.Context(), o, through)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	const times = 50
	for i := range times {
		_, err := s.Contents.Shelf(t.Context(), "", "acme", transcript.VideoSite, "v1")
		require.NoError(t, err)
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/", Key: strings.Repeat("k", i+1)}
		state, err := s.Idempotency.TakeAnswered(t.Context(), key, []byte("fp"), db.Answer{Kind: db.TranscriptAnswer, ID: "t"})
		require.NoError(t, err)
		require.NotNil(t, state.Held)
	}
	counted.mu.Lock()
	defer counted.mu.Unlock()
	require.Len(t, counted.of, 2)
	const connections = 4 // that read, at most
	for statement, n := range counted.of {
		require.LessOrEqual(t, n, connections, statement)
	}
}

// preparations counts how often each statement was prepared.
type preparations struct {
	mu sync.Mutex
	of map[string]int
}

type countingDriver struct {
	driver.Driver
	counted *preparations
}

func (d countingDriver) Open(name string) (driver.Conn, error) {
	c, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return countingConn{c.(sqliteConn), d.counted}, nil
}

// sqliteConn is what database/sql wants of a connection.
type sqliteConn interface {
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Conn
	driver.ExecerContext
	driver.QueryerContext
}

type countingConn struct {
	sqliteConn
	counted *preparations
}

func (c countingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	c.counted.mu.Lock()
	c.counted.of[query]++
	c.counted.mu.Unlock()
	return c.sqliteConn.PrepareContext(ctx, query)
}
