package openaiface_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// openStreams is the number of requests that wait or stream.
func (s *service) openStreams(t testing.TB) (n int) {
	t.Helper()
	w := &memo{header: http.Header{}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://service.example/metrics", nil)
	require.NoError(t, err)
	s.Metrics().ServeHTTP(w, r)
	_, after, told := strings.Cut(w.String(), "\ntranscriptkit_http_event_streams ")
	require.True(t, told)
	_, err = fmt.Sscan(after, &n)
	require.NoError(t, err)
	return n
}

// A key that is revoked ends a request that waits and a stream. The jobs go on.
func TestRevokedKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	release := s.Engine.Hold()
	defer release()
	good := s.Key
	s.Key = s.NewKey(t, servertest.Account)
	stream := s.open(t, file("a"))
	waited := make(chan *answer, 1)
	go func() { waited <- s.transcribe(t, []part{whisper, file("a")}) }() //nolint:testifylint // a failed assertion ends the goroutine, and the test at its deadline
	require.Eventually(t, func() bool { return s.openStreams(t) == 2 }, time.Minute, 10*time.Millisecond)
	require.NoError(t, s.Accounts.Revoke(t.Context(), s.Key[:11]))

	all := stream.rest(t)
	require.Len(t, all, 1)
	require.NotNil(t, all[0].Error)
	assert.Equal(t, "invalid_api_key", all[0].Error.Code)
	a := <-waited
	assert.Equal(t, http.StatusUnauthorized, a.StatusCode, a.body)
	assert.Equal(t, "invalid_api_key", a.failure(t).Code)

	release()
	s.Key = good
	assert.Contains(t, s.transcribe(t, []part{whisper, file("a")}).body, "hello world")
	assert.Equal(t, 1, s.Engine.Recognitions())
}

// Each limit of an account refuses a recording, at once or when its length is known.
func TestLimitsOfAnAccount(t *testing.T) {
	t.Parallel()
	limits := map[string]struct {
		limit func(*account.Plan)
		typ   string
		code  string
	}{
		"recognition": {func(p *account.Plan) { p.ASR = false }, "insufficient_quota", "upgrade_required"},
		"transcripts": {func(p *account.Plan) { p.TranscriptsPerPeriod = 0 }, "insufficient_quota", "transcript_quota_exceeded"},
		"minutes":     {func(p *account.Plan) { p.ASRMinutesPerPeriod = 0 }, "insufficient_quota", "asr_quota_exceeded"},
		"length":      {func(p *account.Plan) { p.MaxDuration = 5 * time.Second }, "insufficient_quota", "video_too_long"},
	}
	var plans []account.Plan
	for name, c := range limits {
		plan := account.WithoutLimits(name)
		c.limit(&plan)
		plans = append(plans, plan)
	}
	s := start(t, servertest.OnPlan(account.WithoutLimits("roomy"), plans...))
	for name, c := range limits {
		key := s.NewKey(t, name)
		_, err := s.Accounts.Set(t.Context(), name, account.Settings{Plan: name})
		require.NoError(t, err)
		a := s.transcribe(t, []part{whisper, file(name)}, as(key))
		assert.Equal(t, http.StatusPaymentRequired, a.StatusCode, "%s: %s", name, a.body)
		f := a.failure(t)
		assert.Equal(t, c.typ, f.Type, name)
		assert.Equal(t, c.code, f.Code, name)
	}
	assert.Zero(t, s.Engine.Recognitions())

	suspended, key := true, s.NewKey(t, "left")
	_, err := s.Accounts.Set(t.Context(), "left", account.Settings{Plan: "roomy", Suspended: &suspended})
	require.NoError(t, err)
	a := s.transcribe(t, []part{whisper, file("a")}, as(key))
	assert.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
	assert.Equal(t, "upgrade_required", a.failure(t).Code)
}
