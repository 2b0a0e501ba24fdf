package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A job must not be made on work that ends while it is made: nobody would ever
// end that claim.
func TestJoinWhileTheWorkEnds(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		sites := newPlatforms(t, manual("en"))
		b := prepareLinks(t, s, sites)
		first, err := b.Submit(t.Context(), link("v1", "en"))
		require.NoError(t, err)
		row, err := s.Jobs.Owned(t.Context(), acme, first.Job.JobID)
		require.NoError(t, err)

		joining := make(chan *intake.Outcome, 1)
		failing := make(chan error, 1)
		require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			e, err := tx.Works.Lock(ctx, row.WorkID)
			if err != nil {
				return err
			}
			id, err := tx.Transcripts.Put(ctx, &db.Transcript{Transcript: transcript.Transcript{
				Platform: e.Platform, ExternalID: e.ExternalID, Lang: "en", Source: transcript.OriginDownloader, Status: transcript.Ready,
			}, SegmentsJSON: packed.Pack([]byte("[]"))})
			if err != nil {
				return err
			}
			if err := tx.Works.Move(ctx, e, db.Move{To: lifecycle.Of(transcript.StagePublishing)}); err != nil {
				return err
			}
			jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
			if err != nil {
				return err
			}
			if _, err := tx.Works.End(ctx, e, jobs, db.End{Status: transcript.JobSuccess, TranscriptID: id}); err != nil {
				return err
			}
			go func() {
				late := link("v1", "en")
				late.Account = "late"
				out, err := b.Submit(t.Context(), late)
				failing <- err
				joining <- out
			}()
			// It cannot end before this transaction does; so long it has to look.
			waiting, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
			defer cancel()
			select {
			case <-waiting.Done():
			case err := <-failing:
				failing <- err
			}
			return nil
		}))
		require.NoError(t, <-failing)
		out := <-joining
		assert.NotNil(t, out.Result, "a job that nobody works on")
	})
}
