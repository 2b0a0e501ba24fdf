package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// quiet fails when a wake-up comes, or was there.
func quiet(t *testing.T, wake <-chan struct{}) {
	t.Helper()
	select {
	case <-wake:
		require.FailNow(t, "woken")
	case <-time.After(50 * time.Millisecond):
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e, jobs := extraction(t, s, "acme", "beta")
		job, stopJob := s.Watch(jobs[0].ID)
		defer stopJob()
		twin, stopTwin := s.Watch(jobs[0].ID)
		ext, stopExt := s.Watch(e.ID)
		defer stopExt()
		other, stopOther := s.Watch("other")
		defer stopOther()
		// What the insertion announced may still be on its way through LISTEN.
		settle(t, s, job, twin, ext)

		move(t, s, e, durationCheck)
		receive(t, job)
		receive(t, twin)
		receive(t, ext)
		settle(t, s, job, twin, ext)

		// A rollback wakes nobody.
		require.ErrorIs(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			locked, err := tx.LockExtraction(ctx, e.ID)
			require.NoError(t, err)
			require.NoError(t, tx.Move(ctx, locked, db.Move{To: asrQueued}))
			return errUndo
		}), errUndo)
		quiet(t, job)

		// Nor is one woken who has stopped, or who watches something else.
		stopTwin()
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.SetProgress(ctx, e.ID, &transcript.Progress{Fraction: 0.5}))
		})
		receive(t, job)
		quiet(t, twin)
		quiet(t, other)
		settle(t, s, job, ext)

		// A claim that ends alone wakes the extraction's watchers too.
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, cancelOne(ctx, tx, "beta", jobs[1].ID))
		})
		receive(t, ext)
		quiet(t, job)
	})
}

// settle waits until everything announced before has arrived, and takes it away.
func settle(t *testing.T, s *db.Store, wakes ...<-chan struct{}) {
	t.Helper()
	_, jobs := extraction(t, s, "settle")
	j := jobs[0]
	last, stop := s.Watch(j.ID)
	defer stop()
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, cancelOne(ctx, tx, j.Account, j.ID))
	})
	receive(t, last)
	if s.Shared() { // once by this process itself, once through LISTEN; perhaps merged
		select {
		case <-last:
		case <-time.After(50 * time.Millisecond):
		}
	}
	for _, wake := range wakes {
		select {
		case <-wake:
		default:
		}
	}
}

func TestWatchAcrossProcesses(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	here, there, raw := dbtest.Open(t, o), dbtest.Open(t, o), open(t, o)
	e, _ := extraction(t, here, "acme")
	wake, stop := there.Watch(e.ID)
	defer stop()
	settle(t, there, wake)

	move(t, here, e, durationCheck)
	receive(t, wake)

	// The connections break: all are woken, for what they may have missed, and
	// then again for what comes.
	require.Equal(t, 2, raw.count(t, "pg_stat_activity WHERE query LIKE 'LISTEN transcriptkit%' AND datname = current_database()"))
	raw.exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN transcriptkit%' AND datname = current_database()")
	receive(t, wake)
	move(t, here, e, asrQueued)
	receive(t, wake)
}

func TestWatchMerges(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	e, jobs := extraction(t, s, "acme")
	wake, stop := s.Watch(jobs[0].ID)
	defer stop()
	move(t, s, e, durationCheck, asrQueued, asrRunning)
	receive(t, wake)
	quiet(t, wake)
}
