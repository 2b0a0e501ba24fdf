package db_test

import (
	"context"
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// quiet fails when a wake-up is there, or on its way.
func quiet(t *testing.T, s *db.Store, wake <-chan struct{}) {
	t.Helper()
	arrived(t, s)
	require.Empty(t, wake, "woken")
}

func TestWatch(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		e, jobs := newWork(t, s, "acme", "beta")
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
		quiet(t, s, ext) // only an end concerns the work
		settle(t, s, job, twin)

		// A rollback wakes nobody.
		require.ErrorIs(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			locked, err := tx.Works.Lock(ctx, e.ID)
			require.NoError(t, err)
			require.NoError(t, tx.Works.Move(ctx, locked, db.Move{To: asrQueued}))
			return errUndo
		}), errUndo)
		quiet(t, s, job)

		// Nor is one woken who has stopped, or who watches something else.
		stopTwin()
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Jobs.SetProgress(ctx, e.ID, &transcript.Progress{Fraction: 0.5}))
		})
		receive(t, job)
		quiet(t, s, twin)
		quiet(t, s, other)
		settle(t, s, job)

		// The last job that ends wakes the work's watchers too.
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, cancelOne(ctx, tx, "beta", jobs[1].ID))
		})
		quiet(t, s, ext)
		quiet(t, s, job)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, cancelOne(ctx, tx, "acme", jobs[0].ID))
		})
		receive(t, ext)
		receive(t, job)
	})
}

// settle waits until everything announced before has arrived, and takes it away.
func settle(t *testing.T, s *db.Store, wakes ...<-chan struct{}) {
	t.Helper()
	arrived(t, s)
	for _, wake := range wakes {
		select {
		case <-wake:
		default:
		}
	}
}

// arrived waits until everything announced before has arrived: what goes through
// LISTEN comes in order, and the rest at once.
func arrived(t *testing.T, s *db.Store) {
	t.Helper()
	if !s.Shared() {
		return
	}
	topic := rand.Text()
	last, stop := s.Watch(topic)
	defer stop()
	require.NoError(t, s.AnnounceElsewhere(t.Context(), topic))
	receive(t, last)
}

func TestWatchAcrossProcesses(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	here, there, raw := dbtest.Open(t, o), dbtest.Open(t, o), open(t, o)
	e, jobs := newWork(t, here, "acme")
	wake, stop := there.Watch(jobs[0].ID)
	defer stop()
	settle(t, there, wake)

	move(t, here, e, durationCheck)
	receive(t, wake)

	// The connections break: all are woken, for what they may have missed, and
	// then again for what comes.
	require.Equal(t, 2, raw.count(t, "pg_stat_activity WHERE query ~ '^(LISTEN|SELECT pg_advisory_lock_shared)' AND datname = current_database()"))
	raw.exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^(LISTEN|SELECT pg_advisory_lock_shared)' AND datname = current_database()")
	receive(t, wake)
	move(t, here, e, asrQueued)
	receive(t, wake)
}

// TestClosedStoreHasAnnouncedItsChanges: a process that stops tells the others of its last change.
func TestClosedStoreHasAnnouncedItsChanges(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	there := dbtest.Open(t, o)
	here, err := db.Open(t.Context(), o)
	require.NoError(t, err)
	e, jobs := newWork(t, here, "acme")
	wake, stop := there.Watch(jobs[0].ID)
	defer stop()
	settle(t, there, wake)
	move(t, here, e, durationCheck)
	require.NoError(t, here.Close())
	receive(t, wake)
}

func TestWatchMerges(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	e, jobs := newWork(t, s, "acme")
	wake, stop := s.Watch(jobs[0].ID)
	defer stop()
	move(t, s, e, durationCheck, asrQueued, asrRunning)
	receive(t, wake)
	quiet(t, s, wake)
}
