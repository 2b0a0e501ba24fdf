package servertest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestServiceTellsBothWindows: the client reads what the service writes.
func TestServiceTellsBothWindows(t *testing.T) {
	t.Parallel()
	c, _ := live(t)
	var resp client.Response
	_, err := c.Usage.Get(t.Context(), client.WithResponse(&resp))
	require.NoError(t, err)
	first := resp.RateLimit
	_, err = c.Jobs.Get(t.Context(), jobID, client.WithResponse(&resp))
	require.Error(t, err)
	second := resp.RateLimit
	for _, l := range []client.RateLimit{first, second} {
		assert.Equal(t, 5*l.Requests.Limit, l.Polling.Limit)
		assert.Positive(t, l.Requests.Limit)
		assert.WithinDuration(t, l.Reset, l.Polling.Reset, time.Minute)
		assert.Equal(t, l.Requests.Reset, l.Polling.Reset)
	}
	assert.Equal(t, first.Limit, first.Requests.Limit)
	assert.Equal(t, first.Remaining, first.Requests.Remaining)
	assert.Equal(t, second.Limit, second.Polling.Limit)
	assert.Equal(t, second.Remaining, second.Polling.Remaining)
}

// TestServiceTellsUsage: what the service says of an account is understood.
func TestServiceTellsUsage(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("small")
	plan.TranscriptsPerPeriod, plan.ActionLabel, plan.ActionURL = 2, "Upgrade", "https://example.com/plans"
	free := account.Plan{Name: "free", ActionLabel: "Pay", ActionURL: "https://example.com/pay"}
	s := servertest.New(t, servertest.OnPlan(plan, free))
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(t, err)
	_, err = c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL(videoID)})
	require.NoError(t, err)

	usage, err := c.Usage.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, transcript.UsageAccount{ID: "acme", Plan: "small", Paid: true}, usage.Account)
	assert.Equal(t, transcript.Allowance{Used: 1, Limit: new(int64(2)), Remaining: new(int64(1))}, usage.Transcripts)
	assert.Nil(t, usage.ASRMinutes.Limit)
	assert.Nil(t, usage.RateLimit)
	assert.Equal(t, s.Key[:len(usage.Key.Prefix)], usage.Key.Prefix)

	_, err = s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: "free"})
	require.NoError(t, err)
	_, err = c.Usage.Get(t.Context())
	require.ErrorIs(t, err, transcript.UpgradeRequired)
	assert.ErrorContains(t, err, "Pay: https://example.com/pay")
}
