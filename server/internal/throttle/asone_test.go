package throttle_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Whoever asks one source after the other comes to the second with the token of the
// first; others wait for both.
func TestAsOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fails := &site{answer: func(int) error { return transcript.Errorf(transcript.UpstreamFailed, "It may pass.") }}
		second := &site{}
		p := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 1}}, fails, second)
		ask := func(ctx context.Context) error {
			ctx = throttle.AsOne(ctx)
			if err := p.readFrom(ctx, 0, transcript.VideoSite); waitOf(err) > 0 {
				return err
			}
			return p.readFrom(ctx, 1, transcript.VideoSite)
		}
		require.NoError(t, ask(throttle.InLine(t.Context(), "job")))
		assert.Equal(t, []int{1, 1}, []int{fails.visited(), second.visited()})

		err := ask(throttle.InLine(t.Context(), "next"))
		assert.Equal(t, 2*time.Minute, waitOf(err), "the token that is owed comes first")
		require.ErrorIs(t, err, throttle.ErrHeldBack)
		assert.Equal(t, []int{1, 1}, []int{fails.visited(), second.visited()})
		time.Sleep(2 * time.Minute) // in the bubble
		require.NoError(t, ask(throttle.InLine(t.Context(), "next")))
	})
}
