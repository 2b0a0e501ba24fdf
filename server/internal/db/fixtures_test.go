package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	queued        = lifecycle.State{Status: transcript.JobPending, Stage: transcript.StageQueued}
	durationCheck = lifecycle.State{Status: transcript.JobProcessing, Stage: transcript.StageDurationCheck}
	asrQueued     = lifecycle.State{Status: transcript.JobPending, Stage: transcript.StageASRQueued}
	asrRunning    = lifecycle.State{Status: transcript.JobProcessing, Stage: transcript.StageASRRunning}
	publishing    = lifecycle.State{Status: transcript.JobProcessing, Stage: transcript.StagePublishing}
	done          = lifecycle.State{Status: transcript.JobSuccess, Stage: transcript.StageDone}
	cancelled     = lifecycle.State{Status: transcript.JobCancelled}
)

// now is a moment that both databases keep exactly.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// inTx runs fn in a transaction that must succeed.
func inTx(t *testing.T, s *db.Store, fn func(ctx context.Context, tx *db.Tx)) {
	t.Helper()
	require.NoError(t, s.InTx(db.Unhurried(t.Context()), func(ctx context.Context, tx *db.Tx) error {
		fn(ctx, tx)
		return nil
	}))
}

// work stores a new one of "acme", with a job of each account.
func newWork(t *testing.T, s *db.Store, accounts ...string) (*db.Work, []*db.Job) {
	t.Helper()
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

// move takes the work through the given states, in a transaction each.
func move(t *testing.T, s *db.Store, e *db.Work, states ...lifecycle.State) {
	t.Helper()
	for _, to := range states {
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			locked, err := tx.Works.Lock(ctx, e.ID)
			require.NoError(t, err)
			require.NoError(t, goTo(ctx, tx, locked, to))
			*e = *locked
		})
	}
}

// goTo moves a locked work with its jobs, or ends all of them.
func goTo(ctx context.Context, tx *db.Tx, e *db.Work, to lifecycle.State) error {
	if !to.Status.Terminal() {
		return tx.Works.Move(ctx, e, db.Move{To: to})
	}
	jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
	if err != nil {
		return err
	}
	_, err = tx.Works.End(ctx, e, jobs, db.End{Status: to.Status})
	return err
}

// cancelOne ends one job alone.
func cancelOne(ctx context.Context, tx *db.Tx, account, id string) error {
	job, err := tx.Jobs.Owned(ctx, account, id)
	if err != nil {
		return err
	}
	e, err := tx.Works.Lock(ctx, job.WorkID)
	if err != nil {
		return err
	}
	_, err = tx.Works.End(ctx, e, []db.Job{*job}, db.End{Status: transcript.JobCancelled})
	return err
}

// work is what the tests enqueue.
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

// plain are packed bytes, unpacked.
func plain(t testing.TB, b *packed.Bytes) []byte {
	t.Helper()
	unpacked, err := b.Plain()
	require.NoError(t, err)
	return unpacked
}
