package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// Who has no place for a recording is told when to come again, once the file has come:
// what was answered before is still answered.
func TestNoPlaceForARecording(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("small")
	plan.ASRConcurrency, plan.ASRWaiting = 1, 0
	s := start(t, offerPlans(plan))
	require.Equal(t, http.StatusOK, s.upload(t, "heard").StatusCode)
	id, release := s.heldJob(t, "held")
	defer release()

	a := s.upload(t, "more", header("Idempotency-Key", "k"))
	require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
	assert.Equal(t, "15", a.Header.Get("Retry-After"))
	e := a.failure(t)
	assert.Equal(t, "ASR_CONCURRENCY_LIMIT", e["code"])
	assert.Equal(t, 15.0, e["retryAfter"])
	assert.Equal(t, map[string]any{"inUse": 1.0, "limit": 1.0, "waiting": 0.0, "waitingLimit": 0.0}, e["details"])

	a = s.upload(t, "heard")
	assert.Equal(t, http.StatusOK, a.StatusCode, "the cache needs no place: %s", a.body)
	assert.Equal(t, id, s.job(t, "held"), "nor does who joins")
	release()
	s.ended(t, id)
	a = s.upload(t, "more", header("Idempotency-Key", "k"))
	assert.Equal(t, http.StatusOK, a.StatusCode, "the refusal is not kept with the key: %s", a.body)
	s.nothingLeft(t)
}
