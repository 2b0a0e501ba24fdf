package db_test

import (
	"testing"

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
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
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
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
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
