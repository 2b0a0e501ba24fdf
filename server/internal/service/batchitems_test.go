package service_test

import (
	"context"
	"fmt"
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
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// contents is a caption source with its own answer for each content.
type contents struct {
	answer func(ctx context.Context, id string) (engine.Captions, error)
}

func (contents) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginDownloader, p == transcript.VideoSite
}

func (c contents) Captions(ctx context.Context, content engine.Content, _ func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	return c.answer(ctx, content.ExternalID)
}

// captioned is the answer of a platform with English captions.
func captioned(id string) engine.Captions {
	track := manual("en")
	return engine.Captions{
		Metadata: transcript.Metadata{Title: id, Duration: 5}, Tracks: []transcript.Track{track}, Track: &track,
		Segments: []transcript.Segment{{Text: id, Duration: 1}},
	}
}

// reads makes a caption source of a function the only one.
func reads(answer func(ctx context.Context, id string) (engine.Captions, error)) func(*service.Config) {
	return func(c *service.Config) {
		c.Engine.Captions = []engine.CaptionSource{contents{answer}}
		c.PauseBriefly()
	}
}

// ended waits until a batch has ended. A batch of a hundred items needs more than a minute on a
// busy machine.
func (b *bench) ended(t *testing.T, account, id string) *batch.Job {
	t.Helper()
	var job *batch.Job
	defer func() {
		if t.Failed() {
			t.Logf("%+v", job)
			for _, item := range b.items(t, account, id, 100) {
				if !item.Status.Terminal() {
					t.Logf("%+v", item)
				}
			}
		}
	}()
	require.Eventually(t, func() bool {
		var err error
		job, err = b.Batches.Get(t.Context(), account, id)
		require.NoError(t, err)
		require.NoError(t, lifecycle.CheckBatch(job))
		return job.Status.Terminal()
	}, 3*time.Minute, 25*time.Millisecond)
	return job
}

// One failed item of a hundred leaves the others as they are, and a retry makes it a
// hundred.
func TestOneFailedItemOfAHundred(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		gone := make(chan struct{})
		b := start(t, s, &script{}, reads(func(_ context.Context, id string) (engine.Captions, error) {
			select {
			case <-gone:
			default:
				if id == "content-042" {
					e := transcript.Errorf(transcript.Unavailable, "It is not there yet.")
					e.Retryable = new(true)
					return engine.Captions{}, e
				}
			}
			return captioned(id), nil
		}))
		made, err := b.Batches.Create(t.Context(), batchOf(entries(100)...))
		require.NoError(t, err)
		job := b.ended(t, acme, made.ID)
		assert.Equal(t, batch.Completed, job.Status)
		assert.Equal(t, batch.Counts{Total: 100, Success: 99, Failed: 1}, job.Counts)
		before := b.items(t, acme, made.ID, 100)
		for i, item := range before {
			assert.Equal(t, 1, item.Attempts)
			if i == 42 {
				assert.Equal(t, batch.ItemFailed, item.Status)
				assert.Equal(t, transcript.Unavailable, *item.Error)
				assert.Equal(t, "It is not there yet.", item.ErrorMessage)
				assert.True(t, *item.Retryable)
				continue
			}
			assert.Equal(t, batch.ItemSuccess, item.Status)
			assert.Equal(t, "en", item.Lang)
			text, err := b.Jobs.Transcript(t.Context(), acme, *item.TranscriptRef, view.View{})
			require.NoError(t, err)
			assert.JSONEq(t, fmt.Sprintf(`[{"text":"content-%03d","start":0,"duration":1}]`, i), string(plain(t, text.SegmentsJSON)))
		}

		close(gone)
		retried, err := b.Batches.Retry(t.Context(), batcher.RetryRequest{Account: acme, Plan: plan(), Batch: made.ID})
		require.NoError(t, err)
		assert.Equal(t, 1, retried.Retried)
		assert.Empty(t, retried.NotRetried)
		job = b.ended(t, acme, made.ID)
		assert.Equal(t, batch.Counts{Total: 100, Success: 100}, job.Counts)
		after := b.items(t, acme, made.ID, 33)
		assert.Equal(t, 2, after[42].Attempts)
		assert.Equal(t, batch.ItemSuccess, after[42].Status)
		assert.Nil(t, after[42].Error)
		after[42] = before[42]
		assert.Equal(t, before, after, "the others were touched")
	})
}
