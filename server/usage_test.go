package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// usage is what the service says of an account's usage.
func (s *service) usage(t testing.TB, changes ...change) map[string]any {
	t.Helper()
	a := s.get(t, "/v1/usage", changes...)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Equal(t, "private, no-cache", a.Header.Get("Cache-Control"))
	return a.object(t)
}

// smallPlan is a plan with a limit of everything.
func smallPlan() account.Plan {
	return account.Plan{
		Name: "limited", Paid: true, ActionLabel: "Upgrade", ActionURL: "https://example.com/plans",
		RateLimit: account.RateLimit{Requests: 10_000, Window: time.Hour}, TranscriptsPerPeriod: 5, ASRMinutesPerPeriod: 10,
		Upload: true, MaxUploadBytes: 1 << 20, ASR: true, ASRConcurrency: 1, ASRWaiting: 3, MaxDuration: 2 * time.Hour,
		BatchItems: 50, CacheTTL: time.Hour, EventStreams: 2,
	}
}

// offerPlans puts the accounts on the first of the plans; the others are there too.
func offerPlans(plans ...account.Plan) func(*server.Config) {
	offered := account.Plans{Default: plans[0].Name, ByName: map[string]account.Plan{}}
	for _, p := range plans {
		offered.ByName[p.Name] = p
	}
	return func(c *server.Config) { offer(c, offered) }
}

func TestUsage(t *testing.T) {
	t.Parallel()
	s := start(t, offerPlans(smallPlan()))
	got := s.usage(t)
	assert.Equal(t, map[string]any{"id": "acme", "plan": "limited", "paid": true}, got["account"])
	period := limits.PeriodOf(smallPlan(), time.Now())
	assert.Equal(t, map[string]any{
		"start": period.Start.Format("2006-01-02T15:04:05.000Z"), "end": period.End.Format("2006-01-02T15:04:05.000Z"),
	}, got["period"])
	assert.Equal(t, map[string]any{"used": 0.0, "reserved": 0.0, "limit": 5.0, "remaining": 5.0}, got["transcripts"])
	assert.Equal(t, map[string]any{"used": 0.0, "reserved": 0.0, "limit": 10.0, "remaining": 10.0}, got["asrMinutes"])
	assert.Equal(t, map[string]any{"inUse": 0.0, "limit": 1.0, "waiting": 0.0, "waitingLimit": 3.0}, got["asrConcurrency"])
	assert.Equal(t, map[string]any{"bytes": 0.0, "maxBytes": 1073741824.0}, got["library"], "a plan that says none has 1 GiB")
	assert.Equal(t, map[string]any{"balance": nil}, got["credits"])
	assert.Equal(t, map[string]any{
		"maxDurationSec": 7200.0, "maxUploadBytes": 1048576.0, "maxKeepMediaSec": 0.0, "batchItems": 50.0, "batchExport": false,
		"upload": true, "asr": true, "speakers": false, "eventStreams": 2.0,
	}, got["limits"])
}

// The window is the main one, after this request: what asks how work goes, and what
// others ask, does not count in it.
func TestUsageOfRequests(t *testing.T) {
	t.Parallel()
	s := start(t, offerPlans(smallPlan()))
	a := s.get(t, "/v1/usage")
	require.Equal(t, http.StatusOK, a.StatusCode)
	shown := a.object(t)["rateLimit"].(map[string]any)
	assert.Equal(t, 9_999.0, shown["remaining"])
	assert.Equal(t, 10_000.0, shown["limit"])
	assert.Equal(t, 3600.0, shown["windowSec"])
	for member, name := range map[string]string{"limit": "X-RateLimit-Limit", "remaining": "X-RateLimit-Remaining", "reset": "X-RateLimit-Reset"} {
		assert.Equal(t, a.Header.Get(name), fmt.Sprintf("%.0f", shown[member]), name)
	}
	assert.Zero(t, int64(shown["reset"].(float64))%3600, "windows begin at multiples of their length")

	stranger := as(s.NewKey(t, "globex"))
	for range 3 {
		s.get(t, unknownJob)
		s.usage(t, stranger)
	}
	assert.Equal(t, 9_998.0, s.usage(t)["rateLimit"].(map[string]any)["remaining"])
	assert.Equal(t, 9_996.0, s.usage(t, stranger)["rateLimit"].(map[string]any)["remaining"])
}

// What is made is reserved before it is used; what fails, or is there already, uses
// nothing.
func TestUsageOfTranscripts(t *testing.T) {
	t.Parallel()
	s := start(t, offerPlans(smallPlan()))
	transcripts := func(used, reserved float64) {
		t.Helper()
		want := map[string]any{"used": used, "reserved": reserved, "limit": 5.0, "remaining": 5 - used - reserved}
		assert.Equal(t, want, s.usage(t)["transcripts"])
	}
	release := s.Engine.HoldCaptions()
	a := s.postJSON(t, `{"url": "`+video+`", "waitMs": 0}`)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	transcripts(0, 1)
	release()
	s.ended(t, a.object(t)["jobId"].(string))
	transcripts(1, 0)
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`"}`).StatusCode)
	transcripts(1, 0)
	id, release := s.heldJob(t, "a file")
	transcripts(1, 1)
	require.Equal(t, http.StatusAccepted, s.do(t, http.MethodPost, jobPath(id)+"/cancel", nil).StatusCode)
	transcripts(1, 0)
	release()
	assert.Equal(t, map[string]any{"used": 0.0, "reserved": 0.0, "limit": 5.0, "remaining": 5.0},
		s.usage(t, as(s.NewKey(t, "globex")))["transcripts"], "another account has its own")
}

// A recording takes a place when it is accepted, holds its minutes from then on that
// its length is known, and pays for them at its end; the canceled one does not.
func TestUsageOfRecognition(t *testing.T) {
	t.Parallel()
	s := start(t, offerPlans(smallPlan()))
	s.Engine.SetMedia(servertest.Media{Duration: 61 * time.Second})
	stands := func(running, waiting, used, reserved float64) {
		t.Helper()
		got := s.usage(t)
		assert.Equal(t, map[string]any{"inUse": running, "limit": 1.0, "waiting": waiting, "waitingLimit": 3.0}, got["asrConcurrency"])
		assert.Equal(t, map[string]any{"used": used, "reserved": reserved, "limit": 10.0, "remaining": 10 - used - reserved}, got["asrMinutes"])
	}
	first, release := s.heldJob(t, "a file")
	stands(1, 0, 0, 2)
	second := s.job(t, "another file")
	require.Eventually(t, func() bool {
		return s.get(t, jobPath(second)).object(t)["stage"] == "asr_queued"
	}, time.Minute, 10*time.Millisecond)
	stands(1, 1, 0, 4)
	require.Equal(t, http.StatusAccepted, s.do(t, http.MethodPost, jobPath(second)+"/cancel", nil).StatusCode)
	stands(1, 0, 0, 2)
	release()
	require.Equal(t, "success", s.ended(t, first)["status"])
	stands(0, 0, 2, 0)
}

// What is not permitted for want of a place says how many there are, as usage does.
func TestUsageOfPlaces(t *testing.T) {
	t.Parallel()
	plan := smallPlan()
	plan.ASRWaiting = 1
	s := start(t, offerPlans(plan))
	_, release := s.heldJob(t, "a file")
	defer release()
	s.job(t, "another file")
	a := s.upload(t, "a third one")
	require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
	assert.Equal(t, "ASR_CONCURRENCY_LIMIT", a.failure(t)["code"])
	assert.NotEmpty(t, a.Header.Get("Retry-After"))
	places := map[string]any{"inUse": 1.0, "limit": 1.0, "waiting": 1.0, "waitingLimit": 1.0}
	assert.Equal(t, places, a.failure(t)["details"])
	got := s.usage(t)
	assert.Equal(t, places, got["asrConcurrency"])
	assert.Equal(t, 2.0, got["transcripts"].(map[string]any)["reserved"], "the third holds nothing")
	require.Equal(t, http.StatusOK, s.captions(t, "").StatusCode, "captions need no place")
}

func TestUsageWithoutLimits(t *testing.T) {
	t.Parallel()
	s := start(t, offerPlans(account.WithoutLimits("all")))
	got := s.usage(t)
	for member, fields := range map[string][]string{
		"transcripts":    {"limit", "remaining"},
		"asrMinutes":     {"limit", "remaining"},
		"asrConcurrency": {"limit", "waitingLimit"},
		"library":        {"maxBytes"},
		"limits":         {"maxDurationSec", "maxUploadBytes", "batchItems", "eventStreams"},
	} {
		for _, field := range fields {
			value, there := got[member].(map[string]any)[field]
			assert.True(t, there, "%s.%s", member, field)
			assert.Nil(t, value, "%s.%s", member, field)
		}
	}
	assert.Nil(t, got["rateLimit"])
	assert.Contains(t, got, "rateLimit")
}

// A plan that permits nothing says 0, which is not the same as nothing.
func TestUsageOfAPlanThatPermitsNothing(t *testing.T) {
	t.Parallel()
	s := start(t, offerPlans(account.Plan{Name: "none", Paid: true, RateLimit: account.RateLimit{Requests: 100, Window: time.Hour}}))
	got := s.usage(t)
	nothing := map[string]any{"used": 0.0, "reserved": 0.0, "limit": 0.0, "remaining": 0.0}
	assert.Equal(t, nothing, got["transcripts"])
	assert.Equal(t, nothing, got["asrMinutes"])
	assert.Equal(t, map[string]any{
		"maxDurationSec": 0.0, "maxUploadBytes": 0.0, "maxKeepMediaSec": 0.0, "batchItems": 0.0, "batchExport": false,
		"upload": false, "asr": false, "speakers": false, "eventStreams": 0.0,
	}, got["limits"])
}

// Less than nothing is left to nobody.
func TestUsageOverALimitThatWasLowered(t *testing.T) {
	t.Parallel()
	lower := smallPlan()
	lower.Name, lower.TranscriptsPerPeriod = "lower", 1
	s := start(t, offerPlans(smallPlan(), lower))
	for _, content := range []string{"one file", "another file"} {
		require.Equal(t, http.StatusOK, s.upload(t, content).StatusCode)
	}
	_, err := s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: "lower"})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"used": 2.0, "reserved": 0.0, "limit": 1.0, "remaining": 0.0}, s.usage(t)["transcripts"])
}

func TestUsageOfAKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	expires := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	key, secret, err := s.Accounts.CreateKey(t.Context(), account.KeyParams{
		Account: servertest.Account, Name: "nightly", Scopes: []account.Scope{account.Batches}, ExpiresAt: &expires,
	})
	require.NoError(t, err)
	shown := s.usage(t, as(secret))["key"].(map[string]any)
	used, err := time.Parse(time.RFC3339Nano, shown["lastUsedAt"].(string))
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), used, time.Minute, "by this request")
	delete(shown, "lastUsedAt")
	assert.Equal(t, map[string]any{
		"id": key.ID, "prefix": key.Prefix, "name": "nightly", "scopes": []any{"batches"},
		"expiresAt": expires.UTC().Format("2006-01-02T15:04:05.000Z"),
	}, shown)
	assert.Nil(t, s.usage(t)["key"].(map[string]any)["expiresAt"])
}

// Sessions of an embedder have no key, and their accounts need no row. What they call
// a key is none of another account.
func TestUsageOfASession(t *testing.T) {
	t.Parallel()
	visitors := sessions{}
	s := start(t, func(c *server.Config) { c.Authenticator = visitors })
	key, _, err := s.Accounts.CreateKey(t.Context(), account.KeyParams{Account: servertest.Account, Name: "ci", Scopes: account.Scopes()})
	require.NoError(t, err)
	visitors["ann"] = visitor{account.Principal{Account: "ann", Plan: smallPlan()}, nil}
	visitors["bob"] = visitor{account.Principal{Account: "bob", KeyID: key.ID, Plan: smallPlan()}, nil}
	for _, name := range []string{"ann", "bob"} {
		got := s.usage(t, as(""), header("Cookie", "session="+name))
		assert.Equal(t, map[string]any{"id": name, "plan": "limited", "paid": true}, got["account"])
		assert.Contains(t, got, "key")
		assert.Nil(t, got["key"])
	}
}
