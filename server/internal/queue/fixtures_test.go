package queue_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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

// mortal opens a store that the test closes, as the end of its process would.
func mortal(t *testing.T, o db.Options) *db.Store {
	t.Helper()
	s, err := db.Open(t.Context(), o)
	require.NoError(t, err)
	return s
}

// inTx runs fn in a transaction that must succeed.
func inTx(t *testing.T, s *db.Store, fn func(ctx context.Context, tx *db.Tx)) {
	t.Helper()
	require.NoError(t, s.InTx(db.Unhurried(t.Context()), func(ctx context.Context, tx *db.Tx) error {
		fn(ctx, tx)
		return nil
	}))
}

// work stores a new one, with a job of each account.
func newWork(t *testing.T, s *db.Store, accounts ...string) (*db.Work, []*db.Job) {
	t.Helper()
	queued := lifecycle.State{Status: transcript.JobPending, Stage: transcript.StageQueued}
	e := &db.Work{Owner: "acme", Platform: transcript.Upload, ExternalID: uuid.NewString(), State: queued}
	var jobs []*db.Job
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Works.Insert(ctx, e))
		for _, a := range accounts {
			j := &db.Job{Account: a, WorkID: e.ID, State: queued, Format: transcript.JSON}
			require.NoError(t, tx.Jobs.Insert(ctx, j))
			jobs = append(jobs, j)
		}
	})
	return e, jobs
}

// work is a step of no piece of work.
type work struct {
	Name string `json:"name"`
}

func (work) Kind() string  { return "work" }
func (work) Queue() string { return "default" }

// stepOf is a step of work.
type stepOf struct {
	Work string `json:"extraction"`
}

func (stepOf) Kind() string  { return "step" }
func (stepOf) Queue() string { return "default" }

// workers works on work with fn.
func workers(fn func(ctx context.Context, run queue.Row, step work) error) []queue.Worker {
	return []queue.Worker{queue.NewWorker(0, fn)}
}

// runner starts one and stops it when the test ends.
func runner(t *testing.T, s *db.Store, w queue.Workers) queue.Runner {
	t.Helper()
	if w.Queues == nil {
		w.Queues = map[string]int{"default": 4}
	}
	r, err := s.Queue.NewRunner(w)
	require.NoError(t, err)
	require.NoError(t, r.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, r.Stop(context.Background())) })
	return r
}

func enqueue(t *testing.T, s *db.Store, names ...string) {
	t.Helper()
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		for _, name := range names {
			require.NoError(t, tx.Queue.Enqueue(ctx, work{Name: name}))
		}
	})
}

// receive waits for a value, not forever.
func receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(time.Minute):
		require.FailNow(t, "nothing came")
		panic("not reached")
	}
}

// sqliteConn is what database/sql wants of a connection.
type sqliteConn interface {
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Conn
	driver.ExecerContext
	driver.QueryerContext
}

// sqliteStmt is what database/sql wants of a prepared statement.
type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}
