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

func TestProcessesComeAndGo(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		require.NoError(t, s.Join(t.Context(), "p"))
		require.Error(t, s.Join(t.Context(), "p"), "two of one name")
		before := find(t, s, "p")
		require.NoError(t, s.Beat(t.Context(), "p"))
		assert.NotEqual(t, before, find(t, s, "p"))
		require.NoError(t, s.Leave(t.Context(), "p"))
		all, err := s.Processes(t.Context())
		require.NoError(t, err)
		assert.Empty(t, all)
	})
}

// TestBury: only who has given no sign since; and it learns of it.
func TestBury(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		require.NoError(t, s.Join(t.Context(), "p"))
		seen := find(t, s, "p")
		require.NoError(t, s.Beat(t.Context(), "p"))
		buried, err := s.Bury(t.Context(), seen)
		require.NoError(t, err)
		require.False(t, buried, "it has beaten since")
		require.NoError(t, s.Beat(t.Context(), "p"))

		buried, err = s.Bury(t.Context(), find(t, s, "p"))
		require.NoError(t, err)
		require.True(t, buried)
		require.ErrorIs(t, s.Beat(t.Context(), "p"), db.ErrTakenForDead)
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
