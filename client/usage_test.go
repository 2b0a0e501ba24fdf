package client_test

import (
	"net/http"
	"testing"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const usageURL = base + "/v1/usage"

// usageBody is an answer as services give it, with members that are not known yet.
const usageBody = `{
  "account": { "id": "acme", "plan": "pro", "paid": true, "since": "2026-01-01" },
  "period": { "start": "2026-11-01T00:00:00.000Z", "end": "2026-12-01T00:00:00.000Z" },
  "transcripts": { "used": 412, "reserved": 1, "limit": 5000, "remaining": 4587 },
  "asrMinutes": { "used": 61, "reserved": 12, "limit": null, "remaining": null },
  "asrConcurrency": { "inUse": 1, "limit": 2, "waiting": 3, "waitingLimit": 50 },
  "credits": { "balance": 12.5 },
  "limits": { "maxDurationSec": 14400, "maxUploadBytes": null, "batchItems": 0, "batchExport": true, "upload": true, "asr": false, "eventStreams": 20 },
  "rateLimit": { "limit": 120, "remaining": 117, "reset": 1795226640, "windowSec": 60 },
  "key": { "id": "019321a0-0000-7000-8000-000000000001", "prefix": "tr_9fK2mQ7a", "name": "ci", "scopes": ["transcripts", "batches"], "expiresAt": null, "lastUsedAt": "2026-11-21T02:03:34.123Z" },
  "addOns": []
}`

func TestUsage(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	mt.RegisterResponder(http.MethodGet, usageURL, httpmock.NewStringResponder(200, usageBody))
	var resp client.Response
	usage, err := c.Usage.Get(t.Context(), client.WithResponse(&resp))
	require.NoError(t, err)
	assert.Equal(t, transcript.UsageAccount{ID: "acme", Plan: "pro", Paid: true}, usage.Account)
	assert.Equal(t, "2026-12-01T00:00:00.000Z", usage.Period.End.String())
	assert.Equal(t, transcript.Allowance{Used: 412, Reserved: 1, Limit: new(int64(5000)), Remaining: new(int64(4587))}, usage.Transcripts)
	assert.Equal(t, transcript.Allowance{Used: 61, Reserved: 12}, usage.ASRMinutes, "nil is no limit")
	assert.Equal(t, transcript.ASRConcurrency{InUse: 1, Limit: new(int64(2)), Waiting: 3, WaitingLimit: new(int64(50))}, usage.ASRConcurrency)
	assert.Equal(t, new(12.5), usage.Credits.Balance)
	assert.Equal(t, transcript.UsageLimits{
		MaxDurationSec: new(int64(14400)), BatchItems: new(int64(0)), BatchExport: true, Upload: true, EventStreams: new(int64(20)),
	}, usage.Limits, "0 permits nothing")
	assert.Equal(t, &transcript.RateWindow{Limit: 120, Remaining: 117, Reset: 1795226640, WindowSec: 60}, usage.RateLimit)
	require.NotNil(t, usage.Key)
	assert.Equal(t, []string{"transcripts", "batches"}, usage.Key.Scopes)
	assert.Nil(t, usage.Key.ExpiresAt)
	assert.Equal(t, "2026-11-21T02:03:34.123Z", usage.Key.LastUsedAt.String())
	assert.Equal(t, 1, resp.Attempts)
}

// Members that a service has nothing for may be null, or left out.
func TestUsageOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"account": {"id": "acme"}}`,
		`{"account": {"id": "acme"}, "period": null, "transcripts": null, "asrMinutes": null, "credits": null, "limits": null, "rateLimit": null, "key": null}`,
	} {
		c, mt := mocked(t)
		mt.RegisterResponder(http.MethodGet, usageURL, httpmock.NewStringResponder(200, body))
		usage, err := c.Usage.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, &transcript.Usage{Account: transcript.UsageAccount{ID: "acme"}}, usage)
	}
}
