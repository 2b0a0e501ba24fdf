package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestSkipWhileAnItemIsTakenUp cancels a batch in the moment in which one of its items
// gets a job: nobody works on that yet.
func TestSkipWhileAnItemIsTakenUp(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	b := &db.Batch{Account: "acme", Mode: batch.Links, Status: batch.Pending}
	items := []db.BatchItem{{Position: 1, Platform: transcript.VideoSite, ExternalID: "v1", Status: batch.ItemPending}}
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Batches.Insert(ctx, b))
		items[0].BatchID = b.ID
		require.NoError(t, tx.Items.Insert(ctx, items))
	})
	skipped := make(chan error, 1)
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		e := &db.Work{Platform: transcript.VideoSite, ExternalID: "v1", State: queued}
		require.NoError(t, tx.Works.Insert(ctx, e))
		j := &db.Job{Account: "acme", WorkID: e.ID, State: queued}
		require.NoError(t, tx.Jobs.Insert(ctx, j))
		require.NoError(t, tx.Items.SetJob(ctx, items[0].ID, j, false))
		go func() {
			skipped <- s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error { return tx.Items.Skip(ctx, b.ID) })
		}()
		require.Eventually(t, func() bool {
			return raw.count(t, "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()") > 0
		}, time.Minute, time.Millisecond)
	})
	require.NoError(t, receive(t, skipped))
	state, err := s.Batches.Owned(t.Context(), "acme", b.ID)
	require.NoError(t, err)
	assert.Equal(t, batch.Counts{Total: 1}, state.Counts)
}
