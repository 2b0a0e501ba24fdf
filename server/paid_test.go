package server_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Every refusal of a plan, with the link to where there is more.
func TestEvery402(t *testing.T) {
	t.Parallel()
	photo := `{"platform":"photo_site","externalId":"CxYz012345a","waitMs":10000}`
	captions := func(t *testing.T, s *service) *answer { t.Helper(); return s.captions(t, "en") }
	link := func(wishes ...wish) func(*testing.T, *service) *answer {
		return func(t *testing.T, s *service) *answer { t.Helper(); return s.link(t, video, wishes...) }
	}
	post := func(body string) func(*testing.T, *service) *answer {
		return func(t *testing.T, s *service) *answer { t.Helper(); return s.postJSON(t, body) }
	}
	upload := func(t *testing.T, s *service) *answer { t.Helper(); return s.upload(t, "a talk") }
	for name, test := range map[string]struct {
		plan    func(*account.Plan)
		ask     func(*testing.T, *service) *answer
		code    string
		details map[string]any // without periodEnd
	}{
		"not paid":              {func(p *account.Plan) { p.Paid = false }, link(), "UPGRADE_REQUIRED", nil},
		"no uploads":            {func(p *account.Plan) { p.Upload = false }, upload, "UPGRADE_REQUIRED", nil},
		"no recognition":        {func(p *account.Plan) { p.ASR = false }, link(lang("asr")), "UPGRADE_REQUIRED", nil},
		"transcripts":           {func(p *account.Plan) { p.TranscriptsPerPeriod = 0 }, link(), "TRANSCRIPT_QUOTA_EXCEEDED", map[string]any{"used": 0.0, "limit": 0.0}},
		"transcripts, upload":   {func(p *account.Plan) { p.TranscriptsPerPeriod = 0 }, upload, "TRANSCRIPT_QUOTA_EXCEEDED", map[string]any{"used": 0.0, "limit": 0.0}},
		"transcripts, captions": {func(p *account.Plan) { p.TranscriptsPerPeriod = 0 }, captions, "TRANSCRIPT_QUOTA_EXCEEDED", map[string]any{"used": 0.0, "limit": 0.0}},
		"length":                {func(p *account.Plan) { p.MaxDuration = time.Second }, post(photo), "VIDEO_TOO_LONG", map[string]any{"durationSec": 10.0, "limitSec": 1.0}},
		"length, upload":        {func(p *account.Plan) { p.MaxDuration = time.Second }, upload, "VIDEO_TOO_LONG", map[string]any{"durationSec": 10.0, "limitSec": 1.0}},
		"minutes":               {func(p *account.Plan) { p.ASRMinutesPerPeriod = 0 }, post(photo), "ASR_QUOTA_EXCEEDED", map[string]any{"used": 0.0, "limit": 0.0, "neededMinutes": 1.0}},
		"minutes, upload":       {func(p *account.Plan) { p.ASRMinutesPerPeriod = 0 }, upload, "ASR_QUOTA_EXCEEDED", map[string]any{"used": 0.0, "limit": 0.0, "neededMinutes": 1.0}},
		"items of a batch": {func(p *account.Plan) { p.BatchItems = 1 }, func(t *testing.T, s *service) *answer {
			t.Helper()
			return s.postBatch(t, ofLinks(videos(0, 2)...))
		}, "BATCH_LIMIT_EXCEEDED", map[string]any{"requested": 2.0, "limit": 1.0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			large, plan := account.WithoutLimits("large"), account.WithoutLimits("small")
			plan.ActionLabel, plan.ActionURL = "Upgrade", "https://example.com/plans"
			test.plan(&plan)
			s := start(t, func(c *server.Config) {
				offer(c, account.Plans{Default: "large", ByName: map[string]account.Plan{"large": large, "small": plan}})
			})
			_, err := s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: "small"})
			require.NoError(t, err)
			s.Engine.SetMedia(servertest.Media{Claimed: 10 * time.Second})
			a := test.ask(t, s)
			require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
			failure := a.failure(t)
			assert.Equal(t, test.code, failure["code"])
			assert.Equal(t, "Upgrade", failure["actionLabel"])
			assert.Equal(t, "https://example.com/plans", failure["actionUrl"])
			assert.Equal(t, "https://example.com/plans", failure["upgrade_url"])
			if test.details == nil {
				return
			}
			details := failure["details"].(map[string]any)
			if end, ok := details["periodEnd"]; ok {
				at, err := time.Parse(time.RFC3339, end.(string))
				require.NoError(t, err)
				assert.True(t, limits.PeriodOf(plan, time.Now()).End.Equal(at))
				delete(details, "periodEnd")
			}
			assert.Equal(t, test.details, details)
		})
	}
}

// An account that has used up its allowance is told so, and keeps what it has; the text
// that the platform gives is paid for, the one from the cache is not.
func TestAllowanceIsUsedUp(t *testing.T) {
	t.Parallel()
	s := start(t, onPlan(func(p *account.Plan) { p.TranscriptsPerPeriod = 2 }))
	require.Equal(t, http.StatusOK, s.captions(t, "en").StatusCode)
	require.Equal(t, http.StatusOK, s.captions(t, "en").StatusCode, "from the cache")
	require.Equal(t, http.StatusOK, s.link(t, video).StatusCode, "from the cache")
	require.Equal(t, http.StatusOK, s.link(t, "https://video.example/watch?v=aaaaaaaaaaa").StatusCode)
	for _, ask := range []func() *answer{
		func() *answer { return s.link(t, "https://video.example/watch?v=bbbbbbbbbbb") },
		func() *answer { return s.get(t, "/v1/video_site/captions?videoId=bbbbbbbbbbb") },
	} {
		a := ask()
		require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
		assert.Equal(t, "TRANSCRIPT_QUOTA_EXCEEDED", a.failure(t)["code"])
		assert.Equal(t, 2.0, a.failure(t)["details"].(map[string]any)["used"])
	}
	assert.Equal(t, 2, s.Engine.CaptionReads(transcript.VideoSite), "nobody is asked in vain")
	require.Equal(t, http.StatusOK, s.link(t, video).StatusCode, "what is there costs nothing")
}

// Config.Admit is asked once for what would make a job, and never else.
func TestAdmit(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	var last atomic.Pointer[server.Operation]
	var verdict atomic.Value
	verdict.Store(func(context.Context) error { return nil })
	s := start(t, func(c *server.Config) {
		c.Admit = func(ctx context.Context, p account.Principal, op server.Operation) error {
			asked.Add(1)
			last.Store(&op)
			if p.Account != servertest.Account {
				return errors.New("another account")
			}
			return verdict.Load().(func(context.Context) error)(ctx)
		}
	})
	require.Equal(t, http.StatusOK, s.link(t, video).StatusCode)
	require.EqualValues(t, 1, asked.Load())
	assert.Equal(t, &server.Operation{ID: "createTranscript", Platform: transcript.VideoSite, ExternalID: video}, last.Load())
	require.Equal(t, http.StatusOK, s.link(t, video).StatusCode)
	require.Equal(t, http.StatusOK, s.captions(t, "en").StatusCode)
	assert.EqualValues(t, 1, asked.Load(), "asked for what the cache answers")

	id, release := s.heldJob(t, "a talk")
	require.EqualValues(t, 2, asked.Load())
	assert.Equal(t, transcript.Upload, last.Load().Platform)
	assert.Len(t, last.Load().ExternalID, 32)
	assert.EqualValues(t, len("a talk"), last.Load().UploadBytes)
	assert.Equal(t, id, s.job(t, "a talk"), "the job that the account has already")
	assert.EqualValues(t, 2, asked.Load())
	release()
	s.ended(t, id)

	s.nothingLeft(t)
	jobs := s.jobs(t)
	var none *transcript.Error
	for name, test := range map[string]struct {
		verdict func(context.Context) error
		status  int
		code    string
	}{
		"no credits": {func(context.Context) error {
			return transcript.Errorf(transcript.InsufficientCredits, "There are no credits left.")
		}, http.StatusPaymentRequired, "INSUFFICIENT_CREDITS"},
		"a code, wrapped": {func(context.Context) error {
			return errors.Join(errors.New("the bill"), transcript.Errorf(transcript.Forbidden, "Not you."))
		}, http.StatusForbidden, "FORBIDDEN"},
		"a fault":     {func(context.Context) error { return errors.New("the bill cannot be reached") }, http.StatusInternalServerError, ""},
		"a crash":     {func(context.Context) error { panic("the bill") }, http.StatusInternalServerError, ""},
		"a nil error": {func(context.Context) error { return none }, http.StatusInternalServerError, ""},
	} {
		verdict.Store(test.verdict)
		before := asked.Load()
		for _, a := range []*answer{s.link(t, "https://video.example/watch?v=aaaaaaaaaaa"), s.upload(t, "another talk")} {
			require.Equal(t, test.status, a.StatusCode, "%s: %s", name, a.body)
			if test.code == "" {
				assert.Equal(t, "internal_error", a.slug(t), name)
			} else {
				assert.Equal(t, test.code, a.failure(t)["code"], name)
			}
		}
		assert.Equal(t, before+2, asked.Load(), name)
	}
	assert.Equal(t, jobs, s.jobs(t), "a job that was not admitted")
	s.nothingLeft(t) // of an upload that was not admitted
	assert.Equal(t, 2.0, s.get(t, "/v1/usage").object(t)["transcripts"].(map[string]any)["used"])
}

// Nobody else waits for a slow Config.Admit.
func TestSlowAdmit(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	s := start(t, func(c *server.Config) {
		c.Admit = func(_ context.Context, _ account.Principal, op server.Operation) error {
			if op.ExternalID == video {
				close(begun)
				<-end
			}
			return nil
		}
	})
	release := sync.OnceFunc(func() { close(end) })
	defer release()
	slow, asks := make(chan *answer, 1), body(t, video, patient)
	go func() {
		a, err := s.send(t, http.MethodPost, "/v1/transcript", strings.NewReader(asks), header("Content-Type", "application/json"))
		assert.NoError(t, err)
		slow <- a
	}()
	select {
	case <-begun:
	case a := <-slow:
		require.FailNow(t, "nobody was asked", "%s: %s", a.Status, a.body)
	}
	require.Equal(t, http.StatusOK, s.link(t, "https://video.example/watch?v=aaaaaaaaaaa").StatusCode)
	require.Equal(t, http.StatusOK, s.captions(t, "en").StatusCode, "also for the same content")
	release()
	a := <-slow
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Equal(t, true, a.object(t)["cached"], "somebody has made it meanwhile")
}
