package queue_test

import (
	"context"
	"database/sql/driver"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// TestIdleQueueAsksLittle: without steps, a runner with 14 queues sends SQLite a statement or
// two a second. River by itself asks each queue every second, and looks for notifications
// every 50 ms.
func TestIdleQueueAsksLittle(t *testing.T) {
	t.Parallel()
	sent := &atomic.Int64{}
	through := sqldb.Drivers{SQLite: func(d driver.Driver) driver.Driver { return asked{d, sent} }}
	s, err := db.OpenThrough(t.Context(), dbtest.SQLite(t), through)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	queues := map[string]int{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"} {
		queues[name] = 1
	}
	runner(t, s, queue.Workers{Process: "p", Queues: queues, Workers: workers(func(context.Context, queue.Row, work) error { return nil })})
	wait := func(d time.Duration) {
		timer := time.NewTimer(d)
		defer timer.Stop()
		<-timer.C
	}
	var perSecond float64
	for range 10 { // on a busy machine the statements of the start are late
		began, before := time.Now(), sent.Load()
		wait(3 * time.Second)
		if perSecond = float64(sent.Load()-before) / time.Since(began).Seconds(); perSecond < 6 {
			return
		}
	}
	assert.Fail(t, "the idle queue asks all the time", "%.1f statements a second", perSecond)
}

// asked counts the statements that a SQLite database gets.
type asked struct {
	driver.Driver
	sent *atomic.Int64
}

func (d asked) Open(name string) (driver.Conn, error) {
	c, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return askedConn{c.(sqliteConn), d.sent}, nil
}

type askedConn struct {
	sqliteConn
	sent *atomic.Int64
}

func (c askedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.sent.Add(1)
	return c.sqliteConn.ExecContext(ctx, query, args)
}

func (c askedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.sent.Add(1)
	return c.sqliteConn.QueryContext(ctx, query, args)
}

func (c askedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return askedStmt{s.(sqliteStmt), c.sent}, nil
}

type askedStmt struct {
	sqliteStmt
	sent *atomic.Int64
}

func (s askedStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	s.sent.Add(1)
	return s.sqliteStmt.ExecContext(ctx, args)
}

func (s askedStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.sent.Add(1)
	return s.sqliteStmt.QueryContext(ctx, args)
}
