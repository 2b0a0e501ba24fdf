package batcher_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const acme = "acme"

// If the short links of a batch cannot be followed, the items with short links fail. The
// other items and the batch go on.
func TestShortLinksThatCannotBeFollowed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		log := slog.New(slog.DiscardHandler)
		b := batcher.New(batcher.Config{
			Store: s, Cluster: cluster.New(cluster.Config{Idle: true, Log: log}), Pauses: attempt.Default(), Log: log,
			Trace: func(context.Context) string { return "" },
			Ended: func(context.Context, *db.Tx, *db.Batch) error { return nil },
		})
		whole := batcher.Entry{Content: engine.Content{Platform: transcript.VideoSite, ExternalID: "one", URL: "https://site.example/one"}}
		short := batcher.Entry{Short: true, Content: engine.Content{Platform: transcript.VideoSite, URL: "https://short.example/abc"}}
		made, err := b.Create(t.Context(), batcher.Request{
			Account: acme, Plan: account.Plan{BatchItems: account.Unlimited}, Mode: batch.Links, Entries: []batcher.Entry{whole, short},
		})
		require.NoError(t, err)
		require.NoError(t, b.FailExpansion(t.Context(), made.ID, transcript.Errorf(transcript.UpstreamFailed, "It takes too long.")))
		page, err := b.Page(t.Context(), acme, made.ID, 0, 10)
		require.NoError(t, err)
		require.NoError(t, lifecycle.CheckBatch(page.Batch))
		assert.Equal(t, batch.Counts{Total: 2, Pending: 1, Failed: 1}, page.Batch.Counts)
		assert.False(t, page.Batch.Status.Terminal())
		assert.Equal(t, transcript.UpstreamFailed, *page.Items[1].Error)
		assert.True(t, *page.Items[1].Retryable)
	})
}
