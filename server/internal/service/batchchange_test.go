package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A canceled batch skips what nobody works on, lets the rest end, and leaves no job
// behind; it can be neither canceled again nor retried, but deleted.
func TestCancelBatch(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		arrived, let := make(chan string), make(chan struct{})
		b := start(t, s, &script{}, reads(func(ctx context.Context, id string) (engine.Captions, error) {
			select {
			case arrived <- id:
				<-let
			case <-ctx.Done():
				return engine.Captions{}, context.Cause(ctx)
			}
			return captioned(id), nil
		}))
		made, err := b.Batches.Create(t.Context(), batchOf(entries(80)...))
		require.NoError(t, err)
		for range 3 {
			<-arrived
		}
		require.ErrorIs(t, b.Batches.Delete(t.Context(), acme, made.ID), transcript.StateConflict)
		_, err = b.Batches.Cancel(t.Context(), "other", made.ID, nil)
		require.ErrorIs(t, err, transcript.NotFound)

		job, err := b.Batches.Cancel(t.Context(), acme, made.ID, nil)
		require.NoError(t, err)
		require.NoError(t, lifecycle.CheckBatch(job))
		assert.Equal(t, batch.Cancelled, job.Status)
		assert.Equal(t, batch.Counts{Total: 80, Pending: 3}, job.Counts)
		close(let)
		require.Eventually(t, func() bool {
			job, err = b.Batches.Get(t.Context(), acme, made.ID)
			require.NoError(t, err)
			require.NoError(t, lifecycle.CheckBatch(job))
			abandoned, err := s.Jobs.Abandoned(t.Context(), made.ID)
			require.NoError(t, err)
			return job.Counts.Pending == 0 && len(abandoned) == 0
		}, time.Minute, 5*time.Millisecond)
		assert.Equal(t, batch.Counts{Total: 80, Success: 3}, job.Counts)
		usage, err := s.Allowances.Usage(t.Context(), acme, limits.PeriodOf(plan(), job.CreatedAt.Time).Start)
		require.NoError(t, err)
		assert.Equal(t, db.Usage{Used: db.Allowance{Transcripts: 3}}, usage)

		_, err = b.Batches.Cancel(t.Context(), acme, made.ID, nil)
		var coded *transcript.Error
		require.ErrorAs(t, err, &coded)
		assert.Equal(t, transcript.StateConflict, coded.Code)
		assert.Equal(t, batch.Cancelled, coded.Details["status"])
		_, err = b.Batches.Retry(t.Context(), batcher.RetryRequest{Account: acme, Plan: plan(), Batch: made.ID})
		require.ErrorIs(t, err, transcript.StateConflict)
		require.ErrorIs(t, b.Batches.Delete(t.Context(), "other", made.ID), transcript.NotFound)
		require.NoError(t, b.Batches.Delete(t.Context(), acme, made.ID))
		require.ErrorIs(t, b.Batches.Delete(t.Context(), acme, made.ID), transcript.NotFound)
	})
}

// What was tried before it was skipped has its attempt.
func TestCancelAfterAnAttempt(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := start(t, s, &script{}, func(c *service.Config) {
			c.Engine.Captions = []engine.CaptionSource{contents{func(context.Context, string) (engine.Captions, error) {
				return engine.Captions{}, transcript.Errorf(transcript.UpstreamFailed, "It may pass.")
			}}}
		})
		made, err := b.Batches.Create(t.Context(), batchOf(entry("one")))
		require.NoError(t, err)
		var item batch.Item
		require.Eventually(t, func() bool {
			item = b.items(t, acme, made.ID, 10)[0]
			return item.Status == batch.ItemPending && item.Attempts == 1
		}, time.Minute, 5*time.Millisecond)
		_, err = b.Batches.Cancel(t.Context(), acme, made.ID, nil)
		require.NoError(t, err)
		item = b.items(t, acme, made.ID, 10)[0]
		assert.Equal(t, batch.ItemSkipped, item.Status)
		assert.Equal(t, 1, item.Attempts)
	})
}

// Which failed items are retried: those that it may help, those that are named, but not
// what names no content, nor what was tried too often.
func TestRetryBatch(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := start(t, s, &script{}, reads(func(_ context.Context, id string) (engine.Captions, error) {
			e := transcript.Errorf(transcript.Unavailable, "It is gone.")
			e.Retryable = new(id == "passes")
			return engine.Captions{}, e
		}))
		made, err := b.Batches.Create(t.Context(), batchOf(entry("passes"), entry("stays"), badEntry("none", transcript.InvalidVideo)))
		require.NoError(t, err)
		job := b.ended(t, acme, made.ID)
		assert.Equal(t, batch.Failed, job.Status)
		items := b.items(t, acme, made.ID, 10)
		retry := func(r batcher.RetryRequest) *batch.Retried {
			r.Account, r.Plan, r.Batch = acme, plan(), made.ID
			retried, err := b.Batches.Retry(t.Context(), r)
			require.NoError(t, err)
			b.ended(t, acme, made.ID)
			return retried
		}
		unavailable, invalid := string(transcript.Unavailable), string(transcript.InvalidVideo)

		first := retry(batcher.RetryRequest{})
		assert.Equal(t, 1, first.Retried)
		assert.Equal(t, []batch.NotRetried{{ItemID: items[1].ID, Reason: unavailable}, {ItemID: items[2].ID, Reason: invalid}}, first.NotRetried)
		named := retry(batcher.RetryRequest{Items: []string{items[1].ID, items[2].ID, made.ID}})
		assert.Equal(t, 1, named.Retried)
		assert.Equal(t, []batch.NotRetried{{ItemID: items[2].ID, Reason: invalid}, {ItemID: made.ID, Reason: "NOT_FOUND"}}, named.NotRetried)
		none := retry(batcher.RetryRequest{Codes: []transcript.Code{transcript.Internal}})
		assert.Zero(t, none.Retried)
		assert.Equal(t, batch.Failed, none.Batch.Status)
		assert.Len(t, none.NotRetried, 3)

		for range 8 {
			assert.Equal(t, 1, retry(batcher.RetryRequest{Items: []string{items[0].ID}}).Retried)
		}
		assert.Equal(t, 10, b.items(t, acme, made.ID, 10)[0].Attempts)
		last := retry(batcher.RetryRequest{Items: []string{items[0].ID}})
		assert.Zero(t, last.Retried)
		assert.Equal(t, []batch.NotRetried{{ItemID: items[0].ID, Reason: batch.AttemptsExhausted}}, last.NotRetried)
	})
}

// Two batches of one account with the same link share its job, two accounts the work;
// canceling that job fails what waits for it, and nothing else.
func TestBatchesShareWork(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		let, asked := make(chan struct{}), make(chan string, 100)
		b := start(t, s, &script{}, reads(func(ctx context.Context, id string) (engine.Captions, error) {
			asked <- id
			select {
			case <-let:
				return captioned(id), nil
			case <-ctx.Done():
				return engine.Captions{}, context.Cause(ctx)
			}
		}))
		var ids []string
		for _, account := range []string{acme, acme, "other"} {
			r := batchOf(entry("same"))
			r.Account = account
			made, err := b.Batches.Create(t.Context(), r)
			require.NoError(t, err)
			ids = append(ids, made.ID)
			require.Eventually(t, func() bool {
				return b.items(t, account, made.ID, 10)[0].Status == batch.ItemProcessing
			}, time.Minute, 5*time.Millisecond)
		}
		out, err := b.Submit(t.Context(), link("same", "en"))
		require.NoError(t, err)
		_, err = b.Cancel(t.Context(), acme, out.Job.JobID, nil)
		require.NoError(t, err)
		for _, id := range ids[:2] {
			job := b.ended(t, acme, id)
			assert.Equal(t, batch.Failed, job.Status)
			assert.Equal(t, transcript.StateConflict, *b.items(t, acme, id, 10)[0].Error)
		}
		close(let)
		assert.Equal(t, batch.Completed, b.ended(t, "other", ids[2]).Status)
		assert.Len(t, asked, 1, "the platform was asked more than once")
	})
}
