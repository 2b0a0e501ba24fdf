package servertest_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strings"
	"sync/atomic"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Against the real service: a caller that gives up gets the job, and can cancel it.
func TestServiceTellsTheJobAfterTheEnd(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]transcript.Source{
		"link":       transcript.URL(videoID),
		"small file": (&media{content: []byte("the media")}).source(9),
		"large file": (&media{content: large()}).source(int64(len(large()))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := live(t)
			defer s.Engine.Hold()()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				assert.NoError(t, s.Engine.Await(t.Context(), 1))
				cancel()
			}()
			hold := 10 * time.Second
			_, _, err := c.Transcripts.Submit(ctx, transcript.Request{Source: source, Language: []string{"asr"}, Wait: &hold})
			require.ErrorIs(t, err, context.Canceled)
			var waited *client.WaitError
			require.ErrorAs(t, err, &waited)
			job, err := c.Jobs.Cancel(t.Context(), waited.Job.JobID)
			require.NoError(t, err)
			assert.Equal(t, transcript.JobCancelled, job.Status)
		})
	}
}

// Against the real service: a wait is over by what the stream tells.
func TestServiceTellsOfTheEnd(t *testing.T) {
	t.Parallel()
	var streams atomic.Int32
	c, s := live(t, client.WithMiddleware(func(next http.RoundTripper) http.RoundTripper {
		return client.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/events") {
				streams.Add(1)
			}
			return next.RoundTrip(r)
		})
	}))
	release := s.Engine.Hold()
	got := make(chan error, 2)
	go func() {
		_, err := c.Transcripts.Get(t.Context(), atOnce((&media{content: []byte("the media")}).source(9)))
		got <- err
	}()
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	made, err := c.Batches.Create(t.Context(), client.BatchParams{URLs: []string{videoID}, Language: []string{"asr"}})
	require.NoError(t, err)
	go func() {
		_, err := c.Batches.Wait(t.Context(), made.ID)
		got <- err
	}()
	release()
	require.NoError(t, <-got)
	require.NoError(t, <-got)
	assert.EqualValues(t, 1, streams.Load())
}
