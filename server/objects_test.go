package server_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
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

// TestHealthWithoutItsBlobs: /readyz says that the object store is away, before an upload
// comes and after one was refused, and asks it seldom.
func TestHealthWithoutItsBlobs(t *testing.T) {
	t.Parallel()
	b := storetest.NewBucket(t)
	var away atomic.Bool
	var asked atomic.Int32
	through := func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if r.URL.Query().Get("max-keys") == "1" { // a check, and not the first sweep, which lists all
			asked.Add(1)
		}
		if !away.Load() {
			server.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // the caller may be writing still
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	blobs := func(s *service) string {
		a := s.get(t, "/readyz")
		require.Equal(t, http.StatusOK, a.StatusCode, "links and what is stored are served: %s", a.body)
		checks, ok := a.object(t)["checks"].(map[string]any)
		require.True(t, ok)
		return fmt.Sprint(checks["blobs"], ", ", a.object(t)["status"])
	}
	const unavailable = "unavailable: see to it that the place of the blobs can be reached, written to and read; until then uploads are refused and recordings wait, degraded"

	s := startWithBlobs(t, b.Through(t, through))
	before := asked.Load()
	for range 20 {
		require.Contains(t, blobs(s), "ok, ")
	}
	assert.LessOrEqual(t, asked.Load()-before, int32(1))
	away.Store(true)
	assert.Equal(t, http.StatusServiceUnavailable, s.upload(t, "while it is away").StatusCode)
	assert.Equal(t, unavailable, blobs(s))
	away.Store(false)
	assert.Less(t, s.upload(t, "when it is back").StatusCode, 300)
	assert.Contains(t, blobs(s), "ok, ")

	idle := startWithBlobs(t, b.Through(t, through))
	away.Store(true)
	assert.Equal(t, unavailable, blobs(idle), "nobody has uploaded anything")
	away.Store(false)
	assert.Positive(t, asked.Load(), "checks are counted")
}
