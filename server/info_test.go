package server_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// info asks about a link.
func (s *service) info(t testing.TB, link string, changes ...change) *answer {
	t.Helper()
	return s.get(t, "/v1/transcript/info?"+url.Values{"url": {link}}.Encode(), changes...)
}

func TestInfo(t *testing.T) {
	t.Parallel()
	everyWay(t, "", wholeInfo)
}

func wholeInfo(t *testing.T, start starter) {
	s := start(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "hello"}, servertest.Track{Lang: "de", Kind: transcript.TrackAuto},
		servertest.Track{Lang: "fr", Kind: transcript.TrackForced}, servertest.Track{Lang: "de"})
	s.Engine.SetMetadata(transcript.Metadata{Title: "A talk", CreatorName: "Somebody", Duration: 212.5})
	want := map[string]any{
		"status": "success", "platform": "video_site", "externalId": video, "sourceUrl": "https://video.example/watch?v=" + video,
		"title": "A talk", "channel": nil, "creatorName": "Somebody", "creatorHandle": nil, "creatorUrl": nil,
		"thumbnailUrl": nil, "durationSec": 213.0, "publishedAt": nil,
		"captionAvailable": true, "trackMetadataStatus": "ok",
		"tracks": []any{
			map[string]any{"trackId": "en.manual", "lang": "en", "name": "English", "kind": "manual", "isDefault": false, "isTranslatable": false},
			map[string]any{"trackId": "de.auto", "lang": "de", "name": "", "kind": "auto", "isDefault": false, "isTranslatable": false},
			map[string]any{"trackId": "fr.forced", "lang": "fr", "name": "", "kind": "forced", "isDefault": false, "isTranslatable": false},
			map[string]any{"trackId": "de.manual", "lang": "de", "name": "", "kind": "manual", "isDefault": false, "isTranslatable": false},
		},
		"languages": []any{"en", "de"}, "cachedLanguages": []any{},
		"asr": map[string]any{"available": true, "reason": nil}, "metadataStatus": "complete",
	}
	a := s.info(t, "https://video.example/watch?list=x&v="+video)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Equal(t, want, a.object(t))
	assert.Equal(t, "private, no-cache", a.Header.Get("Cache-Control"))
	byID := s.get(t, "/v1/transcript/info?platform=video_site&externalId="+video+"&unknown=1&unknown=2")
	assert.Equal(t, want, byID.object(t))
	assert.Equal(t, 1, s.Engine.CaptionReads(transcript.VideoSite), "the second time from what is known")
	assert.Zero(t, s.jobs(t))

	require.Equal(t, http.StatusOK, s.captions(t, "en").StatusCode)
	want["cachedLanguages"] = []any{"en"}
	assert.Equal(t, want, s.info(t, video).object(t))
	assert.Zero(t, s.jobs(t))
	assert.Zero(t, storetest.Count(t, s.options, "library_rows"), "the library stays as it is")
}

func TestInfoInEveryCase(t *testing.T) {
	t.Parallel()
	noASR := func(p *account.Plan) { p.ASR = false }
	for name, row := range map[string]struct {
		link   string
		plan   func(*account.Plan)
		fault  transcript.Code
		cached bool

		status       int
		code         any // of the error
		tracksStatus any
		available    any
		asr          any // why not
	}{
		"tracks":                     {link: video, status: 200, tracksStatus: "ok", available: true},
		"no recognition in the plan": {link: video, plan: noASR, status: 200, tracksStatus: "ok", available: true, asr: "UPGRADE_REQUIRED"},
		"longer than the plan":       {link: video, plan: func(p *account.Plan) { p.MaxDuration = 9 * time.Second }, status: 200, tracksStatus: "ok", available: true, asr: "VIDEO_TOO_LONG"},
		"no minutes left":            {link: video, plan: func(p *account.Plan) { p.ASRMinutesPerPeriod = 0 }, status: 200, tracksStatus: "ok", available: true, asr: "ASR_QUOTA_EXCEEDED"},
		"a site without captions":    {link: "https://photos.example/p/CxYz012345a", status: 200, tracksStatus: "skipped", available: false},
		"blocked":                    {link: video, fault: transcript.IPBlocked, status: 503, code: "IP_BLOCKED"},
		"broken":                     {link: video, fault: transcript.UpstreamFailed, status: 502, code: "UPSTREAM_FAILED"},
		"blocked, but known":         {link: video, plan: forgetful, fault: transcript.IPBlocked, cached: true, status: 200, tracksStatus: "failed"},
		"gone":                       {link: video, fault: transcript.Unavailable, status: 404, code: "UNAVAILABLE"},
		"gone since":                 {link: video, plan: forgetful, fault: transcript.Unavailable, cached: true, status: 404, code: "UNAVAILABLE"},
		"behind a login":             {link: video, fault: transcript.LoginRequired, status: 503, code: "LOGIN_REQUIRED"},
	} {
		everyWay(t, name, func(t *testing.T, start starter) {
			plan := row.plan // which the ways share
			if plan == nil {
				plan = func(*account.Plan) {}
			}
			s := start(t, onPlan(plan))
			if row.cached {
				require.Equal(t, http.StatusOK, s.captions(t, "").StatusCode)
			}
			if row.fault != "" {
				s.Engine.FailCaptions(transcript.Errorf(row.fault, "No."))
			}
			a := s.info(t, row.link)
			require.Equal(t, row.status, a.StatusCode, a.body)
			assert.Zero(t, s.jobs(t), "it starts no job")
			if row.code != nil {
				assert.Equal(t, row.code, a.failure(t)["code"])
				return
			}
			o := a.object(t)
			assert.Equal(t, row.tracksStatus, o["trackMetadataStatus"])
			assert.Equal(t, row.available, o["captionAvailable"])
			assert.Equal(t, map[string]any{"available": row.asr == nil, "reason": row.asr}, o["asr"])
		})
	}
}

func TestInfoQueries(t *testing.T) {
	t.Parallel()
	s := start(t)
	for query, expect := range map[string]struct {
		status int
		code   string
		paths  []string
	}{
		"":                                  {400, "INVALID_REQUEST", []string{"url"}},
		"platform=video_site":               {400, "INVALID_REQUEST", []string{"externalId"}},
		"externalId=" + video:               {400, "INVALID_REQUEST", []string{"platform"}},
		"url=" + video + "&externalId=x":    {400, "INVALID_REQUEST", []string{"url"}},
		"platform=upload":                   {422, "UNSUPPORTED_PLATFORM", nil},
		"url=https://nowhere.example/1":     {422, "UNSUPPORTED_PLATFORM", nil},
		"url=ytsearch:cats":                 {422, "INVALID_VIDEO", nil},
		"platform=video_site&externalId=..": {422, "INVALID_VIDEO", nil},
	} {
		a := s.get(t, "/v1/transcript/info?"+query)
		require.Equal(t, expect.status, a.StatusCode, "%s: %s", query, a.body)
		if expect.status != http.StatusOK {
			assert.Equal(t, expect.code, a.failure(t)["code"], query)
			assert.Equal(t, expect.paths, a.issuePaths(t), query)
		}
	}
}
