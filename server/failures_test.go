package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

// After 60 failures in a minute an address is told to wait. Who authenticates is not
// concerned.
func TestFailuresAreCounted(t *testing.T) {
	t.Parallel()
	s := start(t)
	limited := 0
	for range 130 { // of which more than 60 fall into one minute
		a := s.get(t, unknownJob, as("nonsense"))
		if a.StatusCode != http.StatusTooManyRequests {
			require.Equal(t, http.StatusUnauthorized, a.StatusCode)
			continue
		}
		limited++
		assert.Equal(t, "rate_limited", a.slug(t))
		assert.Regexp(t, `^[1-9][0-9]?$`, a.Header.Get("Retry-After"))
	}
	assert.GreaterOrEqual(t, limited, 10)
	assert.Equal(t, http.StatusNotFound, s.get(t, unknownJob).StatusCode)
}

func TestFailuresOfManyAddresses(t *testing.T) {
	t.Parallel()
	var f server.Failures
	now := time.Date(2026, 11, 21, 2, 3, 10, 0, time.UTC)
	for range 60 {
		require.Zero(t, f.Add("192.0.2.1", now))
	}
	assert.Equal(t, 50*time.Second, f.Add("192.0.2.1", now), "until the minute ends")
	assert.Zero(t, f.Add("192.0.2.2", now), "each address has its own")
	assert.Equal(t, 20*time.Second, f.Add("192.0.2.1", now.Add(30*time.Second)))
	assert.Zero(t, f.Add("192.0.2.1", now.Add(50*time.Second)), "a new minute")
}
