package queue_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// find returns the process of the id.
func find(t *testing.T, s *db.Store, id string) (found queue.Process) {
	t.Helper()
	all, err := s.Queue.Processes(t.Context())
	require.NoError(t, err)
	for _, p := range all {
		if p.ID == id {
			return p
		}
	}
	require.Failf(t, "no such process", "%s in %v", id, all)
	return found
}

// idle is a runner of a process that finds nothing to do.
func idle(t *testing.T, s *db.Store, process string) queue.Runner {
	t.Helper()
	return runner(t, s, queue.Workers{Process: process, Workers: workers(nil)})
}

func TestProcessesComeAndGo(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		r := idle(t, s, "p")
		second, err := s.Queue.NewRunner(queue.Workers{Process: "p", Workers: workers(nil), Queues: map[string]int{"default": 1}})
		require.NoError(t, err)
		require.Error(t, second.Start(t.Context()), "two of one name")
		before := find(t, s, "p")
		require.NoError(t, r.Beat(t.Context()))
		assert.NotEqual(t, before, find(t, s, "p"))
		require.NoError(t, r.Stop(t.Context()))
		require.NoError(t, r.Leave(t.Context()))
		all, err := s.Queue.Processes(t.Context())
		require.NoError(t, err)
		assert.Empty(t, all)
	})
}

// TestBury: only who has given no sign since; and it learns of it.
func TestBury(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		r := idle(t, s, "p")
		seen := find(t, s, "p")
		require.NoError(t, r.Beat(t.Context()))
		buried, err := s.Queue.Bury(t.Context(), seen)
		require.NoError(t, err)
		require.False(t, buried, "it has beaten since")
		require.NoError(t, r.Beat(t.Context()))

		buried, err = s.Queue.Bury(t.Context(), find(t, s, "p"))
		require.NoError(t, err)
		require.True(t, buried)
		require.ErrorIs(t, r.Beat(t.Context()), queue.ErrTakenForDead)
	})
}

// TestSignOfTheVersionBefore: a process that counts no beats lives, too.
func TestSignOfTheVersionBefore(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	beat := func() {
		raw.exec(t, `INSERT INTO processes (id, beat_at) VALUES ('old', CURRENT_TIMESTAMP)
			ON CONFLICT (id) DO UPDATE SET beat_at = CURRENT_TIMESTAMP`)
	}
	beat()
	before := find(t, s, "old")
	beat()
	assert.NotEqual(t, before, find(t, s, "old"))
}

// TestAbilities: a process says what it can do when it joins; one of the version
// before says nothing.
func TestAbilities(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		r := runner(t, s, queue.Workers{Process: "p", Workers: workers(nil), Abilities: []byte(`{"audio":true}`)})
		require.NoError(t, r.Beat(t.Context()))
		assert.JSONEq(t, `{"audio":true}`, string(find(t, s, "p").Abilities))
		assert.Less(t, find(t, s, "p").Silent, time.Minute)
		open(t, o).exec(t, `INSERT INTO processes (id, beat_at, beats) VALUES ('old', '2026-01-02 03:04:05', 7)`)
		assert.Nil(t, find(t, s, "old").Abilities)
		assert.Greater(t, find(t, s, "old").Silent, time.Minute)
	})
}

// TestTakes: a process leaves a queue to others for as long as it says so.
func TestTakes(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		var takes atomic.Bool
		asked, done := make(chan struct{}, 100), make(chan struct{}, 1)
		runner(t, s, queue.Workers{
			Process: "p",
			Workers: workers(func(context.Context, queue.Row, work) error { done <- struct{}{}; return nil }),
			Takes: func(queue string) bool {
				assert.Equal(t, "default", queue)
				select {
				case asked <- struct{}{}:
				default:
				}
				return takes.Load()
			},
		})
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Queue.Enqueue(ctx, work{})) })
		for range 3 {
			<-asked
		}
		assert.Empty(t, done, "work that is for others was taken")
		takes.Store(true)
		<-done
	})
}

// A process that has ended is found at once. A process of the version before has no session, and
// is not found.
func TestEndedProcesses(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, ends, raw := dbtest.Open(t, o), mortal(t, o), open(t, o)
	idle(t, s, "lives")
	raw.exec(t, `INSERT INTO processes (id, beat_at) VALUES ('old', CURRENT_TIMESTAMP)`)
	_, err := raw.ExecContext(t.Context(), `INSERT INTO processes (id, beat_at, session) VALUES ('ends', CURRENT_TIMESTAMP, $1)`, ends.SQL().Session())
	require.NoError(t, err)
	ended := func() (ids []string) {
		all, err := s.Queue.Processes(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 3)
		dead, err := s.Queue.EndedProcesses(t.Context(), all)
		require.NoError(t, err)
		for _, p := range dead {
			ids = append(ids, p.ID)
		}
		return ids
	}
	require.Empty(t, ended())
	require.NoError(t, ends.Close())
	require.Eventually(t, func() bool { return len(ended()) > 0 }, time.Minute, 10*time.Millisecond)
	assert.Equal(t, []string{"ends"}, ended())
}

// TestPausedStepsNeedNoLeader: a step with a pause runs after its time and not before,
// though no process leads the queue. Until then the step counts as scheduled.
func TestPausedStepsNeedNoLeader(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		raw.exec(t, `INSERT INTO river_leader (leader_id, elected_at, expires_at) VALUES ('away', '2026-01-01 00:00:00', '2999-01-01 00:00:00')`)
		const pause = 1500 * time.Millisecond
		due := time.Now().Add(pause)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Queue.EnqueueAt(ctx, work{Name: "soon"}, due))
			require.NoError(t, tx.Queue.EnqueueAt(ctx, work{Name: "late"}, due.Add(time.Hour)))
		})
		now, err := s.Status(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []queue.Steps{{Queue: "default", State: "scheduled", Steps: 2}}, now.Queue)
		ran := make(chan string, 2)
		var began time.Time
		runner(t, s, queue.Workers{Process: "p", Workers: workers(func(_ context.Context, _ queue.Row, step work) error {
			if began.IsZero() {
				began = time.Now()
			}
			ran <- step.Name
			return nil
		})})
		require.Equal(t, "soon", receive(t, ran))
		assert.False(t, began.Before(due))
		raw.exec(t, `UPDATE river_job SET scheduled_at = '2026-01-01 00:00:00' WHERE state <> 'completed' AND scheduled_at > CURRENT_TIMESTAMP`)
		require.Equal(t, "late", receive(t, ran))
	})
}
