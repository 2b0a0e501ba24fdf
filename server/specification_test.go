package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// specification has the sentences about the API that fix words, a status, a header or a code, and
// that no change may touch. The answer to one request shows a sentence, or a test that proves it
// already.
var specification = []specified{
	{says: "POST /v1/transcript takes a url", ask: "POST /v1/transcript", with: `{"url": "` + video + `"}`, status: 200, body: members{
		"status": "success", "format": "json", "language": "en", "transcript.externalId": video, "transcript.status": "ready",
		"transcript.segments": there, "cached": there, "metadataStatus": there, "lengthSeconds": there, "lengthText": there, "metadata": nil,
	}},
	{says: "or a platform with an externalId", ask: "POST /v1/transcript", with: `{"platform": "video_site", "externalId": "` + video + `"}`, status: 200},
	{says: "a body has no other properties", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "extra": 1}`, status: 400},
	{says: "a url has at least 1 character", ask: "POST /v1/transcript", with: `{"url": ""}`, status: 422},
	{says: "a url has at most 2048 characters", ask: "POST /v1/transcript", with: `{"url": "https://video.example/` + strings.Repeat("x", 2049) + `"}`, status: 422},
	{says: "an externalId has at most 512 characters", ask: "POST /v1/transcript", with: `{"platform": "photo_site", "externalId": "` + strings.Repeat("x", 513) + `"}`, status: 422},
	{says: "a language has at most 200 characters", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "language": "en` + strings.Repeat(",en", 67) + `"}`, status: 422},
	{says: "a format is json or text", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "format": "srt"}`, status: 422},
	{says: "waitMs is at least 0", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "waitMs": -1}`, status: 422},
	{says: "waitMs is at most 10000", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "waitMs": 10001}`, status: 422},
	{says: "format text: the transcript is a string, and so is text", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "format": "text", "includeTimestamp": false}`, status: 200,
		body: members{"format": "text", "transcript": "hello world", "text": "hello world"}},
	{says: "rule 1: a caption match is a 200", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "language": "fr,en"}`, status: 200, body: members{"language": "en"}},
	{says: "rule 2: without captions the answer is a job", on: "no captions", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "waitMs": 0}`, status: 202,
		body: members{"status": there, "jobId": there, "stage": there}},
	{says: "rule 2: so it is where an asr entry is reached", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "language": "fr,asr", "waitMs": 0}`, status: 202, body: members{"jobId": there}},
	{says: "rule 3: captions in other languages alone go on to recognition", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "language": "ja", "waitMs": 0}`, status: 202, body: members{"jobId": there}},
	{says: "rule 4: a missing asset is a 404", on: "missing", ask: "POST /v1/transcript", with: `{"url": "missing-vid"}`, status: 404, code: transcript.Unavailable},
	{says: "rule 4: a language miss is a 404 with availableLanguages where recognition is not allowed", who: "no recognition", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "language": "ja"}`,
		status: 404, code: transcript.LanguageNotAvailable, body: members{"error.availableLanguages": []any{"en"}}},
	{says: "rule 5: a cache hit says so", ask: "POST /v1/transcript", with: `{"url": "` + video + `"}`, saved: true, status: 200, body: members{"cached": true}},
	{says: "a link of no platform is no source", ask: "POST /v1/transcript", with: `{"url": "https://nowhere.example/watch"}`, status: 422, code: transcript.UnsupportedPlatform},
	{says: "an id outside the platform's grammar is INVALID_VIDEO", ask: "POST /v1/transcript", with: `{"platform": "video_site", "externalId": "short"}`, status: 422, code: transcript.InvalidVideo},
	{says: "an upload goes to recognition, which makes a job", ask: "POST /v1/transcript", file: "a file", status: 202, body: members{"jobId": there}},
	{says: "an upload is for accounts whose plan has it", who: "no uploads", ask: "POST /v1/transcript", file: "a file", status: 402, code: transcript.UpgradeRequired},
	{says: "a 200 carries the rate headers", ask: "POST /v1/transcript", with: `{"url": "` + video + `"}`, status: 200, header: rateHeaders},
	{says: "a 202 carries the rate headers", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "language": "asr", "waitMs": 0}`, status: 202, header: rateHeaders},
	{says: "a 402 carries the rate headers, actionLabel, actionUrl and upgrade_url", who: "spent", ask: "POST /v1/transcript", with: `{"url": "unread-vid1"}`, status: 402, code: transcript.TranscriptQuotaExceeded,
		header: rateHeaders, body: members{"error.actionLabel": "Upgrade", "error.actionUrl": plansURL, "error.upgrade_url": plansURL}},
	{says: "media over the plan's length are VIDEO_TOO_LONG", who: "short", ask: "POST /v1/transcript", with: `{"url": "` + video + `", "language": "asr", "waitMs": 10000}`, status: 402, code: transcript.VideoTooLong},
	{says: "a reused Idempotency-Key is a conflict", test: "TestKeyOfAnotherRequest"},

	{says: "a failed job is a 200", test: "TestJobThatFailed"},
	{says: "jobs are their owner's alone", test: "TestOwnersOfEveryRoute"},
	{says: "the event stream of a job", test: "TestStream"},
	{says: "the captions route makes no job; requiresAsync and captionAvailable by its rules", test: "TestCaptionsDecisions"},

	{says: "a batch of urls", ask: "POST /v1/batch", with: `{"urls": ["` + video + `"]}`, status: 202, body: members{"batch.id": there, "batch.status": there, "batch.counts.total": 1.0}},
	{says: "a batch of a playlist", ask: "POST /v1/batch", with: `{"playlistId": "` + playlistID + `"}`, status: 202, body: members{"batch.id": there}},
	{says: "a batch of a channel", ask: "POST /v1/batch", with: `{"channel": "@talks"}`, status: 202, body: members{"batch.id": there}},
	{says: "at most 500 resolved items, and the plan's own limit", test: "TestBatchLimits"},
	{says: "nextPageToken only where more items remain; maxResults 1 to 500", test: "TestBatchInPages"},
	{says: "maxResults of a batch is at most 500", ask: "GET /v1/batch/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11?maxResults=501", status: 400},
	{says: "an export is for Pro", test: "TestExportIsOfPlans"},
	{says: "a retry takes up failed items", test: "TestBatchFromItsStartToItsEnd"},

	{says: "view is one of three", ask: "GET /v1/library/transcripts?view=mine", status: 400},
	{says: "q has at most 200 characters", ask: "GET /v1/library/transcripts?q=" + strings.Repeat("q", 201), status: 400},
	{says: "lang has at most 20 characters", ask: "GET /v1/library/transcripts?lang=" + strings.Repeat("x", 21), status: 400},
	{says: "page begins at 1", ask: "GET /v1/library/transcripts?page=0", status: 400},
	{says: "pageSize is at most 100", ask: "GET /v1/library/transcripts?pageSize=101", status: 400},
	{says: "a page of the library, whose size is 24", ask: "GET /v1/library/transcripts", status: 200,
		body: members{"transcripts": there, "total": there, "page": 1.0, "pageSize": 24.0, "langs": there}},
	{says: "a saved transcript", ask: "GET " + savedVideo, saved: true, status: 200, body: members{"transcript.id": there, "cached": true}},
	{says: "an item that is not owned points to POST /v1/transcript", who: "stranger", ask: "GET " + savedVideo, status: 404, code: transcript.NoTranscript, words: "POST /v1/transcript"},
	{says: "so does its download", who: "stranger", ask: "GET " + savedVideo + "/download?format=txt", status: 404, code: transcript.NoTranscript, words: "POST /v1/transcript"},
	{says: "so do its related items", who: "stranger", ask: "GET " + savedVideo + "/related", status: 404, code: transcript.NoTranscript, words: "POST /v1/transcript"},
	{says: "so does its deletion", who: "stranger", ask: "DELETE " + savedVideo, status: 404, code: transcript.NoTranscript, words: "POST /v1/transcript"},
	{says: "a download is a txt", ask: "GET " + savedVideo + "/download?format=txt", saved: true, status: 200},
	{says: "an srt", ask: "GET " + savedVideo + "/download?format=srt", saved: true, status: 200},
	{says: "a vtt", ask: "GET " + savedVideo + "/download?format=vtt", saved: true, status: 200},
	{says: "a json", ask: "GET " + savedVideo + "/download?format=json", saved: true, status: 200},
	{says: "or an md", ask: "GET " + savedVideo + "/download?format=md", saved: true, status: 200},
	{says: "a deletion leaves everyone else's copy", test: "TestOwnersOfEveryRoute"},

	{says: "a key as a bearer, or in X-API-Key; never in a query; a cookie or another token is none", test: "TestCredentials"},
	{says: "no credential is a flat 401", who: "nobody", ask: "GET /v1/usage", status: 401, slug: "unauthorized"},
	{says: "a malformed one is a flat 401", who: "malformed", ask: "GET /v1/usage", status: 401, slug: "invalid_credential"},
	{says: "a revoked or expired one is a flat 401", test: "TestCredentialsThatHaveLapsed"},
	{says: "an account without a paid plan is a 402 with an action", test: "TestSuspendedAndUnpaidAccounts"},
	{says: "the scope of every route: discovery, info and usage take any valid key", test: "TestScopesOfEveryRoute"},
	{says: "a missing scope is FORBIDDEN", who: "batches only", ask: "GET " + savedVideo, status: 403, code: transcript.Forbidden},
	{says: "search takes any valid key", who: "batches only", ask: "GET /v1/video_site/search?q=talk", status: 200},
	{says: "videos take any valid key", who: "batches only", ask: "GET /v1/video_site/videos?videoId=" + video, status: 200},
	{says: "channels take any valid key", who: "batches only", ask: "GET /v1/video_site/channels?channel=@talks", status: 200},
	{says: "a channel's uploads take any valid key", who: "batches only", ask: "GET /v1/video_site/channels/@talks/videos", status: 200},
	{says: "a playlist's items take any valid key", who: "batches only", ask: "GET /v1/video_site/playlists/" + bestTalks + "/items", status: 200},
	{says: "usage takes any valid key", who: "batches only", ask: "GET /v1/usage", status: 200},
	{says: "info takes any valid key", who: "batches only", ask: "GET /v1/transcript/info?url=" + video, status: 200},

	{says: "a used-up window is a flat 429 with Retry-After", test: "TestWindowsThatAreUsedUp"},
	{says: "every code has its status", test: "TestEveryCode"},
	{says: "every plan refusal is a 402", test: "TestEvery402"},
	{says: "faults of platforms are a 502 or a 503, never \"no transcript\"", test: "TestFaultsOfPlatforms"},
	{says: "the document is at /docs/openapi.json, in version 1.0.0", who: "nobody", ask: "GET /docs/openapi.json", status: 200, body: members{"info.version": "1.0.0"}},
}

// specified is one sentence, with the request that shows it or the test that proves it.
type specified struct {
	says, test string

	on, who string // the service and the caller, by the names in TestSpecification; empty: the usual ones
	saved   bool   // the caller has saved the video before
	ask     string // a method and a path
	with    string // a JSON body
	file    string // the content of a file in a form

	status int
	code   transcript.Code // of an error; empty: not fixed
	slug   string          // of a flat error
	words  string          // in the message of an error
	header []string        // that an answer must have
	body   members
}

// members are members of an answer by their paths, as in "batch.id".
type members map[string]any

// there stands for any value but null.
var there = new(int)

var rateHeaders = []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}

const plansURL = "https://example.com/plans"

func TestSpecification(t *testing.T) {
	t.Parallel()
	callers := map[string]func(*account.Plan){
		"stranger":       func(*account.Plan) {},
		"no recognition": func(p *account.Plan) { p.ASR = false },
		"no uploads":     func(p *account.Plan) { p.Upload = false },
		"spent":          func(p *account.Plan) { p.TranscriptsPerPeriod = 0 },
		"short":          func(p *account.Plan) { p.MaxDuration = 1 },
	}
	plans := []account.Plan{account.WithoutLimits("usual")}
	for name, change := range callers {
		plan := account.WithoutLimits(name)
		plan.RateLimit = smallPlan().RateLimit
		plan.ActionLabel, plan.ActionURL = "Upgrade", plansURL
		change(&plan)
		plans = append(plans, plan)
	}
	plans[0].RateLimit = smallPlan().RateLimit
	services := map[string]*service{"": start(t, offerPlans(plans...)), "no captions": start(t), "missing": start(t)}
	services[""].setVideoSite()
	t.Cleanup(services[""].Engine.Hold()) // a job that begins goes on
	services["no captions"].Engine.SetTracks()
	services["missing"].Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "The video is private."))
	who := map[string]change{"": func(*http.Request) {}, "nobody": as(""), "malformed": as("tr_none"), "batches only": as(services[""].NewKey(t, "batches", account.Batches))}
	for name := range callers {
		who[name] = as(services[""].NewKey(t, strings.ReplaceAll(name, " ", "-")))
		_, err := services[""].Accounts.Set(t.Context(), strings.ReplaceAll(name, " ", "-"), account.Settings{Plan: name})
		require.NoError(t, err)
	}
	for _, row := range specification {
		if row.test != "" {
			continue
		}
		t.Run(row.says, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, who, row.who)
			row.shownBy(t, row.answer(t, services[row.on], who[row.who]))
		})
	}
}

func (row specified) answer(t *testing.T, s *service, as change) *answer {
	t.Helper()
	if row.saved {
		require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`"}`, as).StatusCode)
	}
	if row.file != "" {
		return s.postForm(t, []part{field("waitMs", "0"), file(row.file)}, as)
	}
	method, path, _ := strings.Cut(row.ask, " ")
	return s.do(t, method, path, strings.NewReader(row.with), as, func(r *http.Request) {
		if row.with != "" {
			r.Header.Set("Content-Type", "application/json")
		}
	})
}

func (row specified) shownBy(t *testing.T, a *answer) {
	t.Helper()
	require.Equal(t, row.status, a.StatusCode, a.body)
	if row.code != "" {
		assert.Equal(t, string(row.code), a.failure(t)["code"])
	}
	if row.slug != "" {
		assert.Equal(t, row.slug, a.slug(t))
	}
	if row.words != "" {
		assert.Contains(t, a.failure(t)["message"], row.words)
	}
	for _, name := range row.header {
		assert.Regexp(t, `^\d+$`, a.Header.Get(name), name)
	}
	for path, want := range row.body {
		var at any = a.object(t)
		for name := range strings.SplitSeq(path, ".") {
			object, is := at.(map[string]any)
			require.True(t, is, "%s: %s", path, a.body)
			require.Contains(t, object, name, "%s: %s", path, a.body)
			at = object[name]
		}
		if want == any(there) {
			assert.NotNil(t, at, path)
			continue
		}
		assert.Equal(t, want, at, path)
	}
}

// A test that the table names is there.
func TestSpecificationNamesTests(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	var tests []string
	for _, name := range files {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(source, -1) {
			tests = append(tests, string(found[1]))
		}
	}
	for _, row := range specification {
		assert.NotEqual(t, row.test == "", row.ask == "", "%s: a request or a test shows it", row.says)
		if row.test != "" {
			assert.Contains(t, tests, row.test, row.says)
		}
	}
}
