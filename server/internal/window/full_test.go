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
		full.Remember(key, window.Window{Count: 11}, time.Minute, now)
	}
	for _, key := range []int{0, 2999} {
		w, left, ok := full.Recall(key, 10, now.Add(time.Second))
		assert.True(t, ok, key)
		assert.Equal(t, 11, w.Count)
		assert.Equal(t, 59*time.Second, left)
	}
	_, _, ok := full.Recall(0, 11, now)
	assert.False(t, ok, "the limit is larger now")
	_, _, ok = full.Recall(3000, 10, now)
	assert.False(t, ok, "no window of the key")
	_, _, ok = full.Recall(0, 10, now.Add(time.Minute))
	assert.False(t, ok, "the window has ended")
}
