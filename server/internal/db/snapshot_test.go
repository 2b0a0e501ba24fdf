package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestSnapshotIsOneMoment moves a job between two questions of a snapshot.
func TestSnapshotIsOneMoment(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		e, jobs := newWork(t, s, "acme")
		err := s.Snapshot(t.Context(), func(ctx context.Context, r db.Reader) error {
			before, err := r.Jobs.Owned(ctx, "acme", jobs[0].ID)
			require.NoError(t, err)
			move(t, s, e, durationCheck)
			after, err := r.Jobs.Owned(ctx, "acme", jobs[0].ID)
			require.NoError(t, err)
			assert.Equal(t, before, after)
			events, err := r.Jobs.Events(ctx, jobs[0].ID, 0)
			require.NoError(t, err)
			assert.Len(t, events, 1)
			return nil
		})
		require.NoError(t, err)
		now, err := s.Jobs.Owned(t.Context(), "acme", jobs[0].ID)
		require.NoError(t, err)
		assert.Equal(t, durationCheck, now.State)

		refused := transcript.Errorf(transcript.NotFound, "No.")
		err = s.Snapshot(t.Context(), func(context.Context, db.Reader) error { return refused })
		assert.Equal(t, refused, err, "the error of the function comes back as it is")
		for range 40 { // connections are given back
			require.ErrorIs(t, s.Snapshot(t.Context(), func(context.Context, db.Reader) error { return refused }), refused)
		}
	})
}
