package servertest_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A batch of 40 links on the real service, of which one fails, is retried, and deleted.
func TestServiceMakesBatches(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "Some words."})
	links := []string{"https://nowhere.example/talk"}
	for i := range 39 {
		links = append(links, fmt.Sprintf("vid-%07d", i))
	}
	made, err := c.Batches.Create(t.Context(), client.BatchParams{URLs: links})
	require.NoError(t, err)
	job, err := c.Batches.Wait(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, batch.Counts{Total: 40, Success: 39, Failed: 1}, job.Counts)
	items, err := collect(c.Batches.AllItems(t.Context(), made.ID))
	require.NoError(t, err)
	require.Len(t, items, 40)
	for i, item := range items {
		assert.Equal(t, links[i], item.ExternalID, "in the order of the links")
	}
	assert.Equal(t, transcript.UnsupportedPlatform, *items[0].Error)

	retried, err := c.Batches.Retry(t.Context(), made.ID, client.RetryParams{})
	require.NoError(t, err)
	assert.Zero(t, retried.Retried)
	assert.Equal(t, []batch.NotRetried{{ItemID: items[0].ID, Reason: "UNSUPPORTED_PLATFORM"}}, retried.NotRetried)
	_, err = c.Batches.Cancel(t.Context(), made.ID)
	require.ErrorIs(t, err, transcript.StateConflict)
	batches, err := collect(c.Batches.All(t.Context(), client.BatchListParams{Status: batch.Completed}))
	require.NoError(t, err)
	require.Len(t, batches, 1)
	require.NoError(t, c.Batches.Delete(t.Context(), made.ID))
	_, err = c.Batches.Get(t.Context(), made.ID)
	require.ErrorIs(t, err, transcript.NotFound)
	_, err = c.Batches.List(t.Context(), client.BatchListParams{PageParams: client.PageParams{Token: "x"}})
	require.ErrorIs(t, err, transcript.InvalidRequest)
}

// collect returns the items of all pages, or the first error.
func collect[T any](all iter.Seq2[T, error]) (items []T, err error) {
	for item, err := range all {
		if err != nil {
			return items, err
		}
		items = append(items, item)
	}
	return items, nil
}
