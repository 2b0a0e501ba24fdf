package throttle_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Who stands behind is told to come after all who do not, also after those that came
// later; and stands behind no more once it comes with the others.
func TestBehindInLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		visit := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 1}}, &site{}).read
		require.NoError(t, visit(throttle.InLine(t.Context(), "first")))
		wait := func(err error) int {
			var coded *transcript.Error
			require.ErrorAs(t, err, &coded)
			return coded.RetryAfter
		}
		require.Equal(t, 60, wait(visit(throttle.BehindInLine(t.Context(), "long-1"))))
		require.Equal(t, 120, wait(visit(throttle.BehindInLine(t.Context(), "long-2"))))
		require.Equal(t, 60, wait(visit(throttle.InLine(t.Context(), "single"))))
		require.Equal(t, 120, wait(visit(throttle.BehindInLine(t.Context(), "long-1"))))
		require.Equal(t, 120, wait(visit(throttle.InLine(t.Context(), "long-2"))))
		require.Equal(t, 180, wait(visit(throttle.BehindInLine(t.Context(), "long-1"))))
	})
}

// A visit that moves forward in line, to where its turn is now, takes the token and leaves
// the line: those that stand after it get the next one.
func TestMovesForwardToItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		visit := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 1}}, &site{}).read
		require.NoError(t, visit(throttle.InLine(t.Context(), "first")))
		require.Error(t, visit(throttle.BehindInLine(t.Context(), "long-1")))
		require.Error(t, visit(throttle.BehindInLine(t.Context(), "long-2")))
		time.Sleep(time.Minute) // in the bubble
		require.NoError(t, visit(throttle.InLine(t.Context(), "long-2")))
		require.Error(t, visit(throttle.InLine(t.Context(), "long-2")), "the only token is taken")
		time.Sleep(time.Minute) // in the bubble
		require.NoError(t, visit(throttle.InLine(t.Context(), "long-2")))
		time.Sleep(time.Minute) // in the bubble
		require.NoError(t, visit(throttle.BehindInLine(t.Context(), "long-1")))
	})
}
