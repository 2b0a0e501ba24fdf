package db_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// find returns the process of the id.
func find(t *testing.T, s *db.Store, id string) (found db.Process) {
	t.Helper()
	all, err := s.Processes(t.Context())
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
func idle(t *testing.T, s *db.Store, process string) db.Runner {
	t.Helper()
	return runner(t, s, db.Workers{Process: process, Workers: workers(nil)})
}

func TestProcessesComeAndGo(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		r := idle(t, s, "p")
		second, err := s.NewRunner(db.Workers{Process: "p", Workers: workers(nil), Queues: map[string]int{"default": 1}})
		require.NoError(t, err)
		require.Error(t, second.Start(t.Context()), "two of one name")
		before := find(t, s, "p")
		require.NoError(t, r.Beat(t.Context()))
		assert.NotEqual(t, before, find(t, s, "p"))
		require.NoError(t, r.Stop(t.Context()))
		require.NoError(t, r.Leave(t.Context()))
		all, err := s.Processes(t.Context())
		require.NoError(t, err)
		assert.Empty(t, all)
	})
}

// TestBury: only who has given no sign since; and it learns of it.
func TestBury(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		r := idle(t, s, "p")
		seen := find(t, s, "p")
		require.NoError(t, r.Beat(t.Context()))
		buried, err := s.Bury(t.Context(), seen)
		require.NoError(t, err)
		require.False(t, buried, "it has beaten since")
		require.NoError(t, r.Beat(t.Context()))

		buried, err = s.Bury(t.Context(), find(t, s, "p"))
		require.NoError(t, err)
		require.True(t, buried)
		require.ErrorIs(t, r.Beat(t.Context()), db.ErrTakenForDead)
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
		r := runner(t, s, db.Workers{Process: "p", Workers: workers(nil), Abilities: []byte(`{"audio":true}`)})
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
		runner(t, s, db.Workers{
			Process: "p",
			Workers: workers(func(context.Context, db.Work, work) error { done <- struct{}{}; return nil }),
			Takes: func(queue string) bool {
				assert.Equal(t, "default", queue)
				select {
				case asked <- struct{}{}:
				default:
				}
				return takes.Load()
			},
		})
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Enqueue(ctx, work{})) })
		for range 3 {
			<-asked
		}
		assert.Empty(t, done, "work that is for others was taken")
		takes.Store(true)
		<-done
	})
}
