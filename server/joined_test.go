package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// A 202 is pending or processing. A request that joins the work of another account, and
// whose plan does not permit what is being done, gets its error at once, however long it
// would have waited, and gets it again when it is repeated with its key.
func TestAcceptedIsNeverFailed(t *testing.T) {
	t.Parallel()
	short := account.WithoutLimits("short")
	short.MaxDuration = 9 * time.Second
	s := start(t, offerPlans(account.WithoutLimits("rich"), short))
	s.Engine.SetTracks()
	release := s.Engine.Hold()
	defer release()
	_, err := s.Accounts.Set(t.Context(), "other", account.Settings{Plan: "rich"})
	require.NoError(t, err)
	_, other, err := s.Accounts.CreateKey(t.Context(), account.KeyParams{Account: "other", Name: "test", Scopes: account.Scopes()})
	require.NoError(t, err)
	_, err = s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: "short"})
	require.NoError(t, err)

	now := body(t, video, wish{"waitMs", 0})
	first := s.postJSON(t, now, as(other))
	require.Equal(t, http.StatusAccepted, first.StatusCode, first.body)
	require.NoError(t, s.Engine.Await(t.Context(), 1), "the recording is being recognized")
	for range 2 {
		a := s.postJSON(t, now, header("Idempotency-Key", "k"))
		require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
		assert.Equal(t, "VIDEO_TOO_LONG", a.failure(t)["code"])
	}
	assert.Zero(t, s.usage(t)["asrMinutes"].(map[string]any)["reserved"])
}
