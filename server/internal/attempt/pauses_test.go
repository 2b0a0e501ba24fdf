package attempt_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The pause after a failed attempt is at least as long as the recognizer asks for, and at
// most ten minutes.
func TestPauseBetweenAttempts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		attempt, asked int
		want           time.Duration
	}{
		{1, 0, 2 * time.Second},
		{2, 5, 8 * time.Second},
		{2, 60, time.Minute},
		{3, 0, 30 * time.Second},
		{3, 1 << 62, 10 * time.Minute},
	} {
		got := attempt.Default().UntilNextAttempt(test.attempt, &transcript.Error{Code: transcript.RateLimited, RetryAfter: test.asked})
		assert.Equal(t, test.want, got, "%+v", test)
	}
}

// A platform is left alone for as long as the pace asks, within the longest wait.
func TestWaitForPlatform(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		waited time.Duration
		asked  int // seconds
		want   time.Duration
	}{
		{0, 0, time.Second},
		{0, -5, time.Second},
		{0, 3600, time.Hour},
		{0, 24 * 3600, 6 * time.Hour},
		{0, 1 << 40, 6 * time.Hour},
		{time.Hour, 30, 30 * time.Second},
		{5 * time.Hour, 7200, time.Hour},
		{6*time.Hour - time.Minute, 300, time.Minute},
	} {
		now := time.Now()
		var since *time.Time
		if test.waited > 0 {
			since = new(now.Add(-test.waited))
		}
		got := attempt.Default().UntilNextLook(since, &transcript.Error{Code: transcript.IPBlocked, RetryAfter: test.asked}, now)
		assert.Equal(t, test.want, got, "%v", test)
	}
}
