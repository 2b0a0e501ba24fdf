package window_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/window"
)

// TestFullWindows, of more keys than are kept without dropping past windows.
func TestFullWindows(t *testing.T) {
	t.Parallel()
	var full window.Full[int]
	now := time.Now()
	for key := range 3000 {
		full.Remember(key, window.Counted{Window: window.Window{Count: 11}, Left: time.Minute, Other: 7}, now)
	}
	for _, key := range []int{0, 2999} {
		w, ok := full.Recall(key, 10, now.Add(time.Second))
		assert.True(t, ok, key)
		assert.Equal(t, window.Counted{Window: window.Window{Count: 11}, Left: 59 * time.Second, Other: 7}, w)
	}
	_, ok := full.Recall(0, 11, now)
	assert.False(t, ok, "the limit is larger now")
	_, ok = full.Recall(3000, 10, now)
	assert.False(t, ok, "no window of the key")
	_, ok = full.Recall(0, 10, now.Add(time.Minute))
	assert.False(t, ok, "the window has ended")
}
