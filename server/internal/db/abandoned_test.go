package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The job of a skipped item of a batch stays while a follow waits for it.
func TestAbandonedSparesFollows(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		_, jobs := newWork(t, s, "acme")
		b := &db.Batch{Account: "acme", Mode: batch.Playlist, Status: batch.Pending, Title: "T"}
		require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			require.NoError(t, tx.Batches.Insert(ctx, b))
			items := []db.BatchItem{{BatchID: b.ID, Position: 1, Platform: transcript.VideoSite, ExternalID: "x", Status: batch.ItemPending}}
			require.NoError(t, tx.Items.Insert(ctx, items))
			_, err := tx.SQL().NewRaw("UPDATE batch_items SET status = 'skipped', job_id = ? WHERE batch_id = ?", jobs[0].ID, b.ID).Exec(ctx)
			return err
		}))
		abandoned, err := s.Jobs.Abandoned(t.Context(), b.ID)
		require.NoError(t, err)
		require.Len(t, abandoned, 1)

		require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			for _, statement := range []string{
				`INSERT INTO follow_sources (id, kind, platform, list_id, url, feed_url, created_at) VALUES ('s', 'feed', '', '', 'u', 'u', CURRENT_TIMESTAMP)`,
				`INSERT INTO follows (id, account, source_id, languages, max_items, created_at, updated_at) VALUES ('f', 'acme', 's', '', 0, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)`,
				`INSERT INTO follow_items (follow_id, position, status, job_id) VALUES ('f', 1, 'submitted', '` + jobs[0].ID + `')`,
			} {
				if _, err := tx.SQL().NewRaw(statement).Exec(ctx); err != nil {
					return err
				}
			}
			return nil
		}))
		abandoned, err = s.Jobs.Abandoned(t.Context(), b.ID)
		require.NoError(t, err)
		assert.Empty(t, abandoned)
	})
}
