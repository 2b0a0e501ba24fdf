package server_test

import (
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const video = "dQw4w9WgXcQ"

// captions asks for the captions of the video; languages may be empty.
func (s *service) captions(t testing.TB, languages string, changes ...change) *answer {
	t.Helper()
	q := url.Values{"videoId": {video}}
	if languages != "" {
		q.Set("language", languages)
	}
	return s.get(t, "/v1/video_site/captions?"+q.Encode(), changes...)
}

// jobs is how many jobs there are.
func (s *service) jobs(t testing.TB) (n int) {
	t.Helper()
	return storetest.Count(t, s.options, "jobs")
}

// onPlan changes the plan of all accounts.
func onPlan(change func(*account.Plan)) func(*server.Config) {
	return func(c *server.Config) {
		plans := account.DefaultPlans()
		plan := plans.ByName[plans.Default]
		change(&plan)
		plans.ByName[plans.Default] = plan
		offer(c, plans)
	}
}

// forgetful lets no cached text be fresh.
func forgetful(p *account.Plan) { p.CacheTTL = 0 }

// The table of docs/guides/languages.md, row by row.
func TestCaptionsDecisions(t *testing.T) {
	t.Parallel()
	german := servertest.Track{Lang: "de", Text: "hallo"}
	blocked := transcript.Errorf(transcript.IPBlocked, "The platform wants to see a person.")
	blocked.RetryAfter = 30
	for name, row := range map[string]struct {
		tracks    []servertest.Track
		languages string
		cached    bool // a text is there already
		old       bool // and has expired
		fault     error

		status        int
		tracksStatus  string
		available     any
		text          any // nil: no transcript
		fromCache     bool
		requiresAsync bool
		code          any // of the error; nil: none
		failure       any // the track metadata's error code; nil: none
	}{
		"tracks, one matches": {
			tracks: []servertest.Track{german, {Lang: "en", Kind: transcript.TrackAuto, Text: "hello"}},
			status: 200, tracksStatus: "ok", available: true, text: "hello",
		},
		"tracks, a later entry matches": {
			tracks: []servertest.Track{german}, languages: "en, de-AT, asr",
			status: 200, tracksStatus: "ok", available: true, text: "hallo",
		},
		"tracks, none matches": {
			tracks: []servertest.Track{german}, languages: "en,fr",
			status: 200, tracksStatus: "ok", requiresAsync: true, code: "ASR_REQUIRES_ASYNC",
		},
		"tracks, none matches before asr": {
			tracks: []servertest.Track{german}, languages: "en,asr,de",
			status: 200, tracksStatus: "ok", requiresAsync: true, code: "ASR_REQUIRES_ASYNC",
		},
		"the platform says none": {
			status: 200, tracksStatus: "empty", available: false, requiresAsync: true, code: "ASR_REQUIRES_ASYNC",
		},
		"asr only": {
			tracks: []servertest.Track{german}, languages: "asr-de",
			status: 200, tracksStatus: "skipped", requiresAsync: true, code: "ASR_REQUIRES_ASYNC",
		},
		"blocked":    {fault: blocked, status: 503, tracksStatus: "failed", code: "IP_BLOCKED", failure: "IP_BLOCKED"},
		"empty body": {fault: transcript.Errorf(transcript.POTokenRequired, "Empty."), status: 503, tracksStatus: "failed", code: "PO_TOKEN_REQUIRED", failure: "PO_TOKEN_REQUIRED"},
		"login wall": {fault: transcript.Errorf(transcript.LoginRequired, "Log in."), status: 503, tracksStatus: "failed", code: "LOGIN_REQUIRED", failure: "LOGIN_REQUIRED"},
		"fault":      {fault: transcript.Errorf(transcript.UpstreamFailed, "Broken."), status: 502, tracksStatus: "failed", code: "UPSTREAM_FAILED", failure: "UPSTREAM_FAILED"},
		"blocked, with a cached text": {
			tracks: []servertest.Track{german}, languages: "de", cached: true, old: true, fault: blocked,
			status: 200, tracksStatus: "failed", text: "hallo", fromCache: true, failure: "IP_BLOCKED",
		},
		"a fault without a code, with a cached text": {
			tracks: []servertest.Track{german}, languages: "de", cached: true, old: true, fault: errors.New("a nil map"),
			status: 200, tracksStatus: "failed", text: "hallo", fromCache: true, failure: "INTERNAL",
		},
		"from the cache": {
			tracks: []servertest.Track{german}, languages: "de", cached: true, fault: blocked,
			status: 200, tracksStatus: "skipped", available: true, text: "hallo", fromCache: true,
		},
	} {
		everyWay(t, name, func(t *testing.T, start starter) {
			plan := func(*account.Plan) {}
			if row.old {
				plan = forgetful
			}
			s := start(t, onPlan(plan))
			s.Engine.SetTracks(row.tracks...)
			if row.cached {
				require.Equal(t, http.StatusOK, s.captions(t, row.languages).StatusCode)
			}
			s.Engine.FailCaptions(row.fault)
			reads, jobs := s.Engine.CaptionReads(transcript.VideoSite), s.jobs(t)
			a := s.captions(t, row.languages)
			require.Equal(t, row.status, a.StatusCode, a.body)
			o := a.object(t)
			assert.Equal(t, video, o["videoId"])
			assert.Equal(t, row.tracksStatus, o["trackMetadataStatus"])
			assert.Equal(t, row.available, o["captionAvailable"])
			assert.Contains(t, o, "captionAvailable", "null where it is not known")
			assert.Equal(t, row.fromCache, o["cached"])
			assert.Equal(t, row.requiresAsync, o["requiresAsync"])
			assert.Equal(t, row.failure, o["trackMetadataErrorCode"])
			assert.Equal(t, row.failure != nil, o["trackMetadataError"] != nil)
			assert.NotNil(t, o["tracks"])
			if row.tracksStatus == "ok" {
				assert.Len(t, o["tracks"], len(row.tracks))
			}
			assert.Equal(t, row.code == nil, o["status"] == "success")
			assert.Equal(t, row.text != nil, o["status"] == "success")
			if row.code == nil {
				assert.NotContains(t, o, "error")
				text := o["transcript"].(map[string]any)
				assert.Equal(t, row.text, text["segments"].([]any)[0].(map[string]any)["text"])
				assert.Equal(t, text["lang"], o["language"])
				assert.Equal(t, "video_site_downloader", text["source"])
			} else {
				assert.Equal(t, row.code, a.failure(t)["code"])
				assert.NotEmpty(t, a.failure(t)["message"])
				assert.Equal(t, a.Header.Get("X-Request-Id"), a.failure(t)["requestId"])
				assert.NotContains(t, o, "transcript")
			}
			if row.status == http.StatusServiceUnavailable && row.code == "IP_BLOCKED" {
				assert.Equal(t, "30", a.Header.Get("Retry-After"))
			} else {
				assert.Empty(t, a.Header.Get("Retry-After"))
			}
			assert.Equal(t, "private, no-cache", a.Header.Get("Cache-Control"))
			asked := s.Engine.CaptionReads(transcript.VideoSite) - reads
			assert.Equal(t, row.tracksStatus != "skipped", asked == 1, "asked %d times", asked)
			assert.Equal(t, jobs, s.jobs(t), "it starts no job")
			assert.Zero(t, s.Engine.Downloads(transcript.VideoSite))
		})
	}
}

// A fault of the service's own is no report: 500 is flat.
func TestCaptionsThatCrash(t *testing.T) {
	t.Parallel()
	everyWay(t, "", captionsThatCrash)
}

func captionsThatCrash(t *testing.T, start starter) {
	s := start(t)
	for _, fault := range []error{errors.New("a nil map"), transcript.Errorf(transcript.Internal, "A nil map.")} {
		s.Engine.FailCaptions(fault)
		for _, path := range []string{"/v1/video_site/captions?videoId=" + video, "/v1/transcript/info?url=" + video} {
			a := s.get(t, path)
			require.Equal(t, http.StatusInternalServerError, a.StatusCode, a.body)
			assert.Equal(t, map[string]any{"error": "internal_error", "requestId": a.Header.Get("X-Request-Id")}, a.object(t), path)
		}
	}
}

// A platform is not waited for without end.
func TestNoAnswerInTime(t *testing.T) {
	t.Parallel()
	everyWay(t, "", noAnswerInTime)
}

func noAnswerInTime(t *testing.T, start starter) {
	s := start(t, onPlan(forgetful), func(c *server.Config) { server.SettingsOf(c).LookupBudget = 2 * time.Second })
	const known, unknown = "AAAAAAAAAAA", "BBBBBBBBBBB"
	for _, path := range []string{"/v1/video_site/captions?videoId=", "/v1/transcript/info?url="} {
		require.Eventually(t, func() bool { // a late answer goes into the cache
			return s.get(t, path+known).StatusCode == http.StatusOK
		}, time.Minute, time.Millisecond)
	}
	defer s.Engine.HoldCaptions()()
	var answers [4]*answer
	var questions errgroup.Group
	for i, path := range []string{
		"/v1/video_site/captions?videoId=" + unknown, "/v1/video_site/captions?videoId=" + known,
		"/v1/transcript/info?url=" + unknown, "/v1/transcript/info?url=" + known,
	} {
		questions.Go(func() (err error) {
			answers[i], err = s.send(t, http.MethodGet, path, nil)
			return err
		})
	}
	require.NoError(t, questions.Wait())
	for i, expect := range []struct {
		status int
		code   any
		cached any
	}{
		{http.StatusBadGateway, "UPSTREAM_FAILED", false},
		{http.StatusOK, nil, true},
		{http.StatusBadGateway, "UPSTREAM_FAILED", nil},
		{http.StatusOK, nil, nil},
	} {
		a := answers[i]
		require.Equal(t, expect.status, a.StatusCode, a.body)
		o := a.object(t)
		assert.Equal(t, expect.cached, o["cached"], a.body)
		if expect.code == nil {
			assert.Equal(t, "success", o["status"])
			assert.Equal(t, "failed", o["trackMetadataStatus"])
			continue
		}
		assert.Equal(t, expect.code, a.failure(t)["code"])
	}
	assert.Zero(t, s.jobs(t))
}

// What is gone gets no report.
func TestCaptionsOfAMissingVideo(t *testing.T) {
	t.Parallel()
	everyWay(t, "", captionsOfAMissingVideo)
}

func captionsOfAMissingVideo(t *testing.T, start starter) {
	s := start(t)
	s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "The video is private."))
	a := s.captions(t, "")
	require.Equal(t, http.StatusNotFound, a.StatusCode, a.body)
	assert.Equal(t, "UNAVAILABLE", a.failure(t)["code"])
	assert.NotContains(t, a.object(t), "videoId")
	assert.Zero(t, s.jobs(t))
}

// Recognized text is not served here.
func TestCaptionsLeaveOutRecognizedText(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetTracks()
	recognized := s.postJSON(t, `{"url":"`+video+`","waitMs":10000}`)
	require.Equal(t, http.StatusOK, recognized.StatusCode, recognized.body)
	o := s.captions(t, "").object(t)
	assert.Equal(t, "error", o["status"])
	assert.Equal(t, true, o["requiresAsync"])
}

func TestCaptionQueries(t *testing.T) {
	t.Parallel()
	s := start(t)
	for query, expect := range map[string]struct {
		status int
		code   string
		paths  []string
	}{
		"videoId=" + video + "&lang=de&format=text": {status: 200}, // unknown ones are ignored
		"videoId=" + video + "&language=en,,de":     {400, "INVALID_REQUEST", []string{"language"}},
		"videoId=" + video + "&%zz":                 {400, "INVALID_REQUEST", []string{"query"}},
		"language=!":                                {400, "INVALID_REQUEST", []string{"videoId", "language"}},
		"videoId=--exec":                            {422, "INVALID_VIDEO", nil},
		"videoId=https%3A%2F%2Fvideo.example%2Fwatch%3Fv%3DdQw4w9WgXcQ": {422, "INVALID_VIDEO", nil},
	} {
		a := s.get(t, "/v1/video_site/captions?"+query)
		require.Equal(t, expect.status, a.StatusCode, "%s: %s", query, a.body)
		if expect.status != http.StatusOK {
			assert.Equal(t, expect.code, a.failure(t)["code"], query)
			assert.Equal(t, expect.paths, a.issuePaths(t), query)
		}
	}
	assert.Zero(t, s.jobs(t))
}
