package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// provoke makes a service tell of a code: by a refused request, or by what an answer of
// 200 tells of a job, an item, a batch, or captions.
type provoke func(*testing.T, *service) *answer

// refusals are answers of which the code is the reason.
var refusals = map[transcript.Code][]provoke{
	transcript.InvalidRequest: {posted(`{}`), posted(`{"url":"` + video + `","waitMs":-1}`)},
	transcript.CSVParseError:  {func(t *testing.T, s *service) *answer { return s.postCSV(t, "", "link\nx\n") }},
	transcript.InvalidVideo:   {posted(`{"url":"https://video.example/about"}`), inABatch("https://video.example/about")},
	transcript.UnsupportedPlatform: {
		posted(`{"url":"https://nowhere.example/"}`), inABatch("https://nowhere.example/"),
	},
	transcript.UploadInvalid: {func(t *testing.T, s *service) *answer { return s.postForm(t, nil) }},
	transcript.MediaTooLarge: {func(t *testing.T, s *service) *answer { return s.upload(t, "long", s.on(t, "small")) }},
	transcript.UpgradeRequired: {
		func(t *testing.T, s *service) *answer { return s.get(t, "/v1/usage", s.on(t, "free")) },
	},
	transcript.TranscriptQuotaExceeded: {asOn("no transcripts", `{"url":"`+video+`"}`)},
	transcript.InsufficientCredits:     {asOn("in debt", `{"url":"in-debt-001"}`)},
	transcript.VideoTooLong: {
		asOn("short", spoken), jobOf("short", `{"url":"of-10-secs_","language":"asr"}`),
	},
	transcript.ASRQuotaExceeded: {asOn("no minutes", spoken), jobOf("no minutes", `{"url":"of-ten-secs","language":"de"}`)},
	transcript.BatchLimitExceeded: {
		func(t *testing.T, s *service) *answer {
			return s.postBatch(t, ofLinks(videos(0, 2)...), s.on(t, "small"))
		},
		func(t *testing.T, s *service) *answer { return s.postBatch(t, ofLinks(videos(0, 501)...)) },
		func(t *testing.T, s *service) *answer {
			s.Engine.SetList(playlistID, videos(0, 2)...)
			small := s.on(t, "small")
			id := s.listedBatch(t, small)
			s.endedBatch(t, id, small)
			return s.get(t, batchPath(id), small)
		},
	},
	transcript.Forbidden: {
		func(t *testing.T, s *service) *answer {
			return s.get(t, unknownJob, as(s.NewKey(t, "acme", account.Batches)))
		},
	},
	transcript.NoTranscript: {
		func(t *testing.T, s *service) *answer {
			return s.get(t, "/v1/library/transcripts/video_site/unknown-vid")
		},
	},
	transcript.LanguageNotAvailable: {
		asOn("no recognition", `{"url":"`+video+`","language":"de"}`), jobOf("no recognition", `{"url":"`+video+`","language":"de"}`),
	},
	transcript.Unavailable: {withFault(transcript.Unavailable, posted(lost)), withFault(transcript.Unavailable, inABatch(video))},
	transcript.NotFound: {
		func(t *testing.T, s *service) *answer { return s.get(t, unknownJob) },
		func(t *testing.T, s *service) *answer { return s.get(t, "/v1/nowhere") },
	},
	transcript.IdempotencyConflict: {func(t *testing.T, s *service) *answer {
		key := header("Idempotency-Key", "conflict")
		s.postJSON(t, `{"url":"`+video+`"}`, key)
		return s.postJSON(t, spoken, key)
	}},
	transcript.IdempotencyInProgress: {func(t *testing.T, s *service) *answer {
		key := header("Idempotency-Key", "progress")
		before, release := s.Engine.Recognitions(), s.Engine.Hold()
		first := s.inBackground(t, []part{file("in progress")}, key)
		require.NoError(t, s.Engine.Await(t.Context(), before+1))
		defer func() { release(); <-first }()
		return s.upload(t, "in progress", key)
	}},
	transcript.StateConflict: {func(t *testing.T, s *service) *answer {
		id := s.job(t, "ended")
		s.ended(t, id)
		return s.do(t, http.MethodPost, jobPath(id)+"/cancel", nil)
	}},
	transcript.ASRConcurrencyLimit: {func(t *testing.T, s *service) *answer {
		one := s.on(t, "one at once")
		defer s.Engine.Hold()()
		s.job(t, "the one", one)
		return s.upload(t, "one more", one)
	}},
	transcript.ASRRequiresAsync: {func(t *testing.T, s *service) *answer { return s.captions(t, "asr") }},
	transcript.RateLimited: {
		func(t *testing.T, s *service) *answer { return s.get(t, "/v1/usage", s.on(t, "no requests")) },
		lastAttempt(transcript.RateLimited),
	},
	transcript.UpstreamFailed:  {withFault(transcript.UpstreamFailed, captionsOf), lastAttempt(transcript.UpstreamFailed)},
	transcript.IPBlocked:       {withFault(transcript.IPBlocked, captionsOf)},
	transcript.POTokenRequired: {withFault(transcript.POTokenRequired, captionsOf), withFault(transcript.POTokenRequired, posted(lost))},
	transcript.LoginRequired:   {withFault(transcript.LoginRequired, captionsOf), withFault(transcript.LoginRequired, posted(lost))},
	transcript.ConfigError:     {withFault(transcript.ConfigError, captionsOf), withFault(transcript.ConfigError, posted(lost))},
	transcript.NotImplemented:  {posted(`{"url":"` + video + `","language":"asr-de"}`)},
	transcript.ServiceUnavailable: {
		func(t *testing.T, s *service) *answer { return s.get(t, "/v1/usage", s.on(t, "forgotten")) },
	},
	transcript.Internal: {asOn("at fault", `{"url":"at-fault-01"}`), lastAttempt(transcript.Internal)},

	transcript.Unauthorized:      {func(t *testing.T, s *service) *answer { return s.get(t, "/v1/usage", as("")) }},
	transcript.InvalidCredential: {func(t *testing.T, s *service) *answer { return s.get(t, "/v1/usage", as("tr_nonsense")) }},
	transcript.MethodNotAllowed:  {func(t *testing.T, s *service) *answer { return s.do(t, http.MethodPatch, "/v1/usage", nil) }},
	transcript.RequestTimeout: {func(t *testing.T, s *service) *answer {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/batch", cutOff("{"))
		r.Header.Set("Authorization", "Bearer "+s.Key)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return &answer{w.Result(), w.Body.String()}
	}},
	transcript.UnsupportedMediaType: {
		func(t *testing.T, s *service) *answer {
			return s.do(t, http.MethodPost, "/v1/transcript", strings.NewReader(video), header("Content-Type", "text/plain"))
		},
	},
}

// spoken asks for recognition, and lost for a text that no other provocation has.
const (
	spoken = `{"url":"` + video + `","language":"asr"}`
	lost   = `{"url":"lost-link-1"}`
)

func posted(body string) provoke {
	return func(t *testing.T, s *service) *answer { return s.postJSON(t, body) }
}

// asOn posts a request on a plan.
func asOn(plan, body string) provoke {
	return func(t *testing.T, s *service) *answer { return s.postJSON(t, body, s.on(t, plan)) }
}

// jobOf is the job of a request on a plan, when it has ended.
func jobOf(plan, body string) provoke {
	return func(t *testing.T, s *service) *answer {
		on := s.on(t, plan)
		return s.endedJob(t, s.accepted(t, body, on), on)
	}
}

// inABatch is a batch with an item of that link, and with one that is cached.
func inABatch(link string) provoke {
	return func(t *testing.T, s *service) *answer {
		id := s.newBatch(t, []string{link, "https://photos.example/p/ABCdef12345/"})
		s.endedBatch(t, id)
		return s.get(t, batchPath(id))
	}
}

// captionsOf asks for captions that are not cached.
func captionsOf(t *testing.T, s *service) *answer {
	return s.get(t, "/v1/video_site/captions?videoId=lost-in-tim")
}

// withFault provokes while the platforms fail with a code.
func withFault(code transcript.Code, provoke provoke) provoke {
	return func(t *testing.T, s *service) *answer {
		s.Engine.FailCaptions(transcript.Errorf(code, "As it is scripted."))
		defer s.Engine.FailCaptions(nil)
		return provoke(t, s)
	}
}

// lastAttempt is a job whose last attempt fails with a code.
func lastAttempt(code transcript.Code) provoke {
	return withFault(code, func(t *testing.T, s *service) *answer {
		release := s.Engine.HoldCaptions()
		defer release()
		id := s.accepted(t, lost)
		_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), "UPDATE extractions SET attempt = 4") // those before take 40 s
		require.NoError(t, err)
		release()
		return s.endedJob(t, id)
	})
}

// accepted is the job of a link.
func (s *service) accepted(t *testing.T, body string, changes ...change) (id string) {
	t.Helper()
	a := s.postJSON(t, strings.TrimSuffix(body, "}")+`,"waitMs":0}`, changes...)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	return a.object(t)["jobId"].(string)
}

// endedJob is a job as it is read at its end.
func (s *service) endedJob(t *testing.T, id string, changes ...change) *answer {
	t.Helper()
	require.Equal(t, http.StatusOK, s.get(t, jobPath(id)+"/events", changes...).StatusCode)
	return s.get(t, jobPath(id), changes...)
}

// on lets a request come from an account on a plan.
func (s *service) on(t *testing.T, plan string) change {
	t.Helper()
	name := strings.ReplaceAll(plan, " ", "-")
	key := s.NewKey(t, name) // on the default plan, as not every other one includes keys
	_, err := s.Accounts.Set(t.Context(), name, account.Settings{Plan: plan})
	require.NoError(t, err)
	return as(key)
}

// forgetfulPlans are plans of which one is found once, when an account is put on it.
type forgetfulPlans struct {
	account.Plans
	asked *atomic.Int64
}

func (p forgetfulPlans) PlanOf(ctx context.Context, a account.Account) (account.Plan, error) {
	if a.Plan == "forgotten" && p.asked.Add(1) > 1 {
		return account.Plan{}, errors.New("the bill is on fire")
	}
	return p.Plans.PlanOf(ctx, a)
}

// Every code of the table is told, in the form and with the status that are its own. Which
// one a caller is told of in a job, an item, a batch or a report, is told there.
func TestEveryCode(t *testing.T) {
	t.Parallel()
	plans := account.Plans{Default: "all", ByName: map[string]account.Plan{"all": account.WithoutLimits("all"), "free": {ActionURL: "https://example.com/plans"}}}
	for name, limit := range map[string]func(*account.Plan){
		"small":          func(p *account.Plan) { p.BatchItems, p.MaxUploadBytes = 1, 1 },
		"no transcripts": transcripts(0),
		"no minutes":     minutes(0),
		"short":          upTo(time.Second),
		"no recognition": noASR,
		"no requests":    func(p *account.Plan) { p.RateLimit = account.RateLimit{Window: time.Minute} },
		"one at once":    func(p *account.Plan) { p.ASRConcurrency, p.ASRWaiting = 1, 0 },
		"in debt":        func(*account.Plan) {},
		"at fault":       func(*account.Plan) {},
		"forgotten":      func(*account.Plan) {},
	} {
		p := account.WithoutLimits(name)
		limit(&p)
		plans.ByName[name] = p
	}
	source := forgetfulPlans{plans, new(atomic.Int64)}
	s := start(t, func(c *server.Config) {
		var err error
		c.Accounts, err = account.New(c.Store, source)
		require.NoError(t, err)
		c.Admit = func(_ context.Context, p account.Principal, _ server.Operation) error {
			switch p.Plan.Name {
			case "in debt":
				return transcript.Errorf(transcript.InsufficientCredits, "There are none left.")
			case "at fault":
				return errors.New("the bill is on fire")
			}
			return nil
		}
	})
	require.Equal(t, http.StatusOK, s.post(t, `{"url":"https://photos.example/p/ABCdef12345/"}`).StatusCode)

	codes := slices.Concat(transcript.Codes(), transcript.FlatCodes())
	codes = slices.DeleteFunc(codes, func(c transcript.Code) bool { return c == transcript.IPBlocked })
	for _, code := range append(codes, transcript.IPBlocked) { // after which the platform is left alone
		provocations := refusals[code]
		assert.NotEmpty(t, provocations, "nothing provokes %s", code)
		forms := map[string]bool{}
		for i, provoke := range provocations {
			a := provoke(t, s)
			name := fmt.Sprintf("%s %d: %d %s", code, i, a.StatusCode, a.body)
			told, form := whyOf(t, a)
			forms[form] = true
			if form == "flat" {
				assert.Equal(t, code.Slug(), told, name)
			} else {
				assert.Equal(t, string(code), told, name)
			}
			status := []int{code.Status()}
			if code == transcript.InvalidRequest || code == transcript.BatchLimitExceeded {
				status = append(status, http.StatusUnprocessableEntity)
			}
			if form == "refusal" || form == "flat" {
				assert.Contains(t, status, a.StatusCode, name)
			} else {
				assert.Equal(t, http.StatusOK, a.StatusCode, name)
			}
			if a.StatusCode == http.StatusTooManyRequests || a.StatusCode == http.StatusConflict || code == transcript.ServiceUnavailable {
				retry := code.Retry() != transcript.RetryNever && code != transcript.StateConflict
				assert.Equal(t, retry, a.Header.Get("Retry-After") != "", name)
			}
		}
		assert.Equal(t, code.Slug() != "", forms["flat"], "%s: flat", code)
		if !slices.Contains(transcript.Codes(), code) {
			assert.Len(t, forms, 1, "%s is only ever flat", code)
		} else if code.Slug() != "" {
			assert.Len(t, forms, 2, "%s is flat and an object", code)
		}
	}
}

// whyOf is the code, or the slug, that an answer tells, and where it stands.
func whyOf(t *testing.T, a *answer) (told, form string) {
	t.Helper()
	var o struct {
		Error any
		Batch struct{ Error *transcript.Error }
		Items []struct{ Error string }
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &o), a.body)
	switch e := o.Error.(type) {
	case string:
		return e, "flat"
	case map[string]any:
		form = "refusal"
		if a.StatusCode == http.StatusOK {
			form = "job or report"
		}
		require.NotEmpty(t, e["message"])
		return e["code"].(string), form
	}
	if o.Batch.Error != nil {
		return string(o.Batch.Error.Code), "batch"
	}
	require.NotEmpty(t, o.Items, a.body)
	return o.Items[0].Error, "item"
}
