package pace_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Who stands behind is told to come after all who do not, also after those that came
// later; and stands behind no more once it comes with the others.
func TestBehindInLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		visit := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 1}}, &site{}).read
		require.NoError(t, visit(pace.InLine(t.Context(), "first")))
		wait := func(err error) int {
			var coded *transcript.Error
			require.ErrorAs(t, err, &coded)
			return coded.RetryAfter
		}
		require.Equal(t, 60, wait(visit(pace.BehindInLine(t.Context(), "long-1"))))
		require.Equal(t, 120, wait(visit(pace.BehindInLine(t.Context(), "long-2"))))
		require.Equal(t, 60, wait(visit(pace.InLine(t.Context(), "single"))))
		require.Equal(t, 120, wait(visit(pace.BehindInLine(t.Context(), "long-1"))))
		require.Equal(t, 120, wait(visit(pace.InLine(t.Context(), "long-2"))))
		require.Equal(t, 180, wait(visit(pace.BehindInLine(t.Context(), "long-1"))))
	})
}
