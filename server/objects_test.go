package server_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/storetest"
)

// TestObjectStoreAway: while the bucket refuses everything, uploads are refused and
// accepted work waits; then it goes on, with the right text, and no try was counted.
func TestObjectStoreAway(t *testing.T) {
	t.Parallel()
	b := storetest.NewBucket(t)
	var away atomic.Bool
	s := startWithBlobs(t, b.Through(t, func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if !away.Load() {
			server.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // the caller may be writing still
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "<Error><Code>SlowDown</Code></Error>") // its caller may be gone
	}))
	held, release := s.heldJob(t, "the first")
	second := s.job(t, "the second")
	away.Store(true)
	a := s.upload(t, "while it is away")
	assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
	assert.Equal(t, "SERVICE_UNAVAILABLE", a.failure(t)["code"])
	assert.NotEmpty(t, a.Header.Get("Retry-After"))
	release()
	third := s.ended(t, held) // its audio was read before
	assert.Equal(t, "success", third["status"])
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "a step failed") }, time.Minute, 5*time.Millisecond)
	away.Store(false)
	job := s.ended(t, second)
	assert.Equal(t, "success", job["status"], job)
	assert.InDelta(t, 1, job["attempt"], 0, job)
	assert.Contains(t, s.get(t, jobPath(second)).body, `"text":"hello world"`)
	assert.Equal(t, http.StatusOK, s.upload(t, "when it is back").StatusCode)
	// What could not be removed while it was away is left to the sweep.
	require.Eventually(t, func() bool { return len(b.Left(t)) <= 2 }, time.Minute, 5*time.Millisecond)
}
