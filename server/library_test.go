package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const savedVideo = "/v1/library/transcripts/video_site/" + video

func TestLibraryOfAnAccount(t *testing.T) {
	t.Parallel()
	s := start(t)
	require.Equal(t, http.StatusNotFound, s.get(t, savedVideo).StatusCode)
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`).StatusCode)
	usage := s.get(t, "/v1/usage").object(t)["transcripts"]

	first := s.get(t, savedVideo)
	require.Equal(t, http.StatusOK, first.StatusCode, first.body)
	assert.Equal(t, true, first.object(t)["cached"])
	etag := first.Header.Get("ETag")
	assert.Regexp(t, `^"1-[0-9a-f]+"$`, etag, "strong")
	assert.Equal(t, "private, no-cache", first.Header.Get("Cache-Control"))
	same := s.get(t, savedVideo+"?language=en", header("If-None-Match", etag))
	assert.Equal(t, http.StatusNotModified, same.StatusCode)
	assert.Empty(t, same.body)
	assert.Equal(t, etag, same.Header.Get("ETag"))
	assert.Equal(t, http.StatusOK, s.do(t, http.MethodHead, savedVideo, nil).StatusCode)
	missing := s.get(t, savedVideo+"?language=fr")
	assert.Equal(t, "NO_TRANSCRIPT", missing.failure(t)["code"])

	listed := func(query string) []any {
		a := s.get(t, "/v1/library/transcripts"+query)
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		return a.object(t)["transcripts"].([]any)
	}
	require.Len(t, listed(""), 1)
	assert.Empty(t, listed("?view=starred"))
	assert.Empty(t, listed("?page=2"))
	assert.Empty(t, listed("?page=2147483647&pageSize=100"))
	assert.Empty(t, listed("?platform=batch"))
	assert.Empty(t, listed("?lang=e"))
	assert.Empty(t, listed("?q=%CC%81"), "a mark alone is in no title")
	assert.Empty(t, listed("?q=%00"))
	for _, method := range []string{http.MethodPut, http.MethodPut, http.MethodDelete, http.MethodDelete} {
		a := s.do(t, method, savedVideo+"/star", nil)
		require.Equal(t, http.StatusNoContent, a.StatusCode, a.body)
		assert.Equal(t, method == http.MethodPut, len(listed("?view=starred")) == 1)
	}
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, savedVideo+"?language=en", nil).StatusCode)
	assert.Empty(t, listed("?view=history"))
	assert.Equal(t, usage, s.get(t, "/v1/usage").object(t)["transcripts"], "nothing was charged")
}

func TestLibraryRefuses(t *testing.T) {
	t.Parallel()
	s := start(t)
	for query, path := range map[string]string{
		"view=none": "view", "q=%ff": "q", "platform=vimeo": "platform", "sort=date": "sort", "externalId=a%00b": "externalId",
		"page=0": "page", "pageSize=101": "pageSize", "page=1&page=2": "page",
	} {
		a := s.get(t, "/v1/library/transcripts?"+query)
		require.Equal(t, http.StatusBadRequest, a.StatusCode, "%s: %s", query, a.body)
		assert.Equal(t, []string{path}, a.issuePaths(t), query)
	}
	assert.Equal(t, http.StatusOK, s.get(t, "/v1/library/transcripts?unknown=1&q=&lang=").StatusCode)
	for path, want := range map[string]string{
		savedVideo + "?language=":             "language",
		savedVideo + "/related?maxResults=51": "maxResults",
	} {
		a := s.get(t, path)
		require.Equal(t, http.StatusBadRequest, a.StatusCode, "%s: %s", path, a.body)
		assert.Equal(t, []string{want}, a.issuePaths(t), path)
	}
	// What is outside the grammar of ids is no path at all.
	for _, id := range []string{
		"video_site/short", "video_site/%2e%2e", "video_site/" + video + "%2Fx", "vimeo/" + video, "batch/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11",
		"upload/" + strings.Repeat("A", 32), "upload/abc", "photo_site/%00", "video_site/" + strings.Repeat("x", 513),
	} {
		for _, below := range []string{"", "/related"} {
			a := s.get(t, "/v1/library/transcripts/"+id+below)
			require.Equal(t, http.StatusNotFound, a.StatusCode, "%s: %s", id, a.body)
			assert.Equal(t, "not_found", a.slug(t), id)
		}
	}
	for method, below := range map[string]string{http.MethodDelete: "", http.MethodPut: "/star"} {
		a := s.do(t, method, savedVideo+below, nil)
		assert.Equal(t, http.StatusNotFound, a.StatusCode)
		assert.Equal(t, "NO_TRANSCRIPT", a.failure(t)["code"])
	}
}

// What is on its way can be found, and not yet be read.
func TestSavedThatIsNotReadyYet(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"})
	release := s.Engine.HoldCaptions()
	defer release()
	a := s.postJSON(t, `{"url": "`+video+`", "waitMs": 0}`)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	id := a.object(t)["jobId"]
	for _, below := range []string{"", "/chunks", "/download?format=txt"} {
		a := s.get(t, savedVideo+below)
		require.Equal(t, http.StatusConflict, a.StatusCode, "%s: %s", below, a.body)
		assert.Equal(t, "STATE_CONFLICT", a.failure(t)["code"], below)
		details := a.failure(t)["details"].(map[string]any)
		assert.Equal(t, id, details["jobId"], below)
		assert.Contains(t, []any{"pending", "processing"}, details["status"], below)
	}
	edited := s.edit(t, "*", `{"segments": [{"index": 0, "text": "corrected"}]}`)
	require.Equal(t, http.StatusConflict, edited.StatusCode, edited.body)
	assert.Equal(t, "STATE_CONFLICT", edited.failure(t)["code"])
	release()
	s.ended(t, id.(string))
	for _, below := range []string{"", "/chunks", "/download?format=txt"} {
		a := s.get(t, savedVideo+below)
		assert.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", below, a.body)
	}
}

// Without a language the newest of all is read, and to read starts nothing.
func TestSavedInSeveralLanguages(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"}, servertest.Track{Lang: "de", Text: "hallo"}, servertest.Track{Lang: "fr", Text: "bonjour"})
	for _, language := range []string{"en", "de"} {
		require.Equal(t, http.StatusOK, s.link(t, video, lang(language)).StatusCode)
	}
	jobs, reads := s.jobs(t), s.Engine.CaptionReads(transcript.VideoSite)
	for query, want := range map[string]string{"": "de", "?language=de": "de", "?language=en": "en", "?language=fr": "", "?language=EN": "", "?language=en,de": ""} {
		a := s.get(t, savedVideo+query)
		if want == "" {
			assert.Equal(t, http.StatusNotFound, a.StatusCode, query)
			continue
		}
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		assert.Equal(t, want, a.object(t)["transcript"].(map[string]any)["lang"], query)
	}
	assert.Equal(t, jobs, s.jobs(t))
	assert.Equal(t, reads, s.Engine.CaptionReads(transcript.VideoSite))
}

// What is related is of the same handle, or where there is none of the same channel.
func TestRelatedByItsChannel(t *testing.T) {
	t.Parallel()
	s := start(t)
	for id, m := range map[string]transcript.Metadata{
		"handle-0001": {CreatorHandle: "@ann", Channel: "Talks"},
		"handle-0002": {CreatorHandle: "@ann", Channel: "Ann's talks"},
		"handle-0003": {CreatorHandle: "@bob", Channel: "Talks"},
		"channel-001": {Channel: "Talks"},
		"channel-002": {Channel: "Talks"},
		"nobodys-001": {},
		"nobodys-002": {},
	} {
		s.Engine.SetMetadata(m)
		require.Equal(t, http.StatusOK, s.link(t, id).StatusCode)
	}
	for id, want := range map[string][]string{"handle-0001": {"handle-0002"}, "handle-0003": nil, "channel-001": {"channel-002"}, "nobodys-001": nil} {
		a := s.get(t, "/v1/library/transcripts/video_site/"+id+"/related")
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		var related []string
		for _, item := range a.object(t)["items"].([]any) {
			related = append(related, item.(map[string]any)["externalId"].(string))
		}
		assert.Equal(t, want, related, id)
	}
}

// shelf is a service with rows of every kind in the library of its account, and what
// each is found by, the oldest first.
type shelf struct {
	*service
	made  []string // externalIds
	batch string   // one of them
	job   string   // that runs
}

// newShelf fills a library. Until its test ends, one of the rows is on its way.
func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{service: start(t)}
	add := func(id, link string, m transcript.Metadata, lang string, status int) {
		m.Duration = 61.25
		s.Engine.SetMetadata(m)
		s.Engine.SetTracks(servertest.Track{Lang: lang, Text: "Two words."})
		a := s.link(t, link, wish{"language", lang})
		require.Equal(t, status, a.StatusCode, a.body)
		s.made = append(s.made, id)
	}
	add("beta-video1", "beta-video1", transcript.Metadata{Title: "Beta", Channel: "Talks", ThumbnailURL: "https://img.example/b.jpg"}, "en", 200)
	add("CxYz012345a", "https://photos.example/p/CxYz012345a", transcript.Metadata{Title: "alpha", Channel: "Phótos"}, "en", 200)
	add("gamma-video", "gamma-video", transcript.Metadata{Title: "Gamma", CreatorName: "Ann"}, "de", 200)
	uploaded := s.upload(t, "a talk")
	require.Equal(t, http.StatusOK, uploaded.StatusCode, uploaded.body)
	s.made = append(s.made, uploaded.object(t)["transcript"].(map[string]any)["externalId"].(string))

	s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "It is private."))
	add("gone-video1", "gone-video1", transcript.Metadata{}, "en", 404)
	s.Engine.FailCaptions(nil)
	a := s.postBatch(t, `{"urls":["gamma-video","hello"],"language":"de"}`)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	s.batch = a.object(t)["batch"].(map[string]any)["id"].(string)
	s.endedBatch(t, s.batch)
	s.made = append(s.made, s.batch)
	t.Cleanup(s.Engine.HoldCaptions())
	a = s.postJSON(t, body(t, "later-video", wish{"waitMs", 0}, lang("fr,en")))
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	s.job, s.made = a.object(t)["jobId"].(string), append(s.made, "later-video")
	return s
}

// listed is an answer of the list, and the externalIds on it.
func (s *shelf) listed(t *testing.T, query string, changes ...change) (page map[string]any, ids []string) {
	t.Helper()
	a := s.get(t, "/v1/library/transcripts"+query, changes...)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	page = a.object(t)
	for _, row := range page["transcripts"].([]any) {
		ids = append(ids, row.(map[string]any)["externalId"].(string))
	}
	return page, ids
}

// Every view, order and filter of the library, and its pages.
func TestLibraryLists(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	beta, photo, gamma, upload, gone, batch, later := s.made[0], s.made[1], s.made[2], s.made[3], s.made[4], s.made[5], s.made[6]
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodPut, "/v1/library/transcripts/video_site/"+gone+"/star", nil).StatusCode)
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodPut, "/v1/library/transcripts/photo_site/"+photo+"/star", nil).StatusCode)
	jobs := s.jobs(t)
	for query, want := range map[string][]string{
		"":                                {later, batch, upload, gamma, photo, beta},
		"?view=all&sort=recent":           {later, batch, upload, gamma, photo, beta},
		"?sort=oldest":                    {beta, photo, gamma, upload, batch, later},
		"?view=history":                   {later, batch, gone, upload, gamma, photo, beta},
		"?view=starred":                   {gone, photo},
		"?sort=title&platform=photo_site": {photo},
		"?sort=title&lang=en":             {photo, beta, upload},
		"?platform=video_site":            {later, gamma, beta},
		"?platform=video_site&sort=title": {beta, gamma, later}, // which has none yet
		"?platform=upload":                {upload},
		"?platform=batch":                 {batch},
		"?platform=short_video_site":      nil,
		"?platform=professional_site":     nil,
		"?platform=microblog_site":        nil,
		"?externalId=" + gamma:            {gamma},
		"?externalId=" + gamma + "&platform=video_site":        {gamma},
		"?externalId=" + gamma + "&platform=photo_site":        nil,
		"?externalId=" + gone + "&platform=video_site":         nil,
		"?view=history&platform=video_site&externalId=" + gone: {gone},
		"?lang=de":                         {batch, gamma},
		"?lang=DE":                         nil,
		"?lang=d":                          nil,
		"?lang=fr":                         {later},
		"?q=ALPHA":                         {photo},
		"?q=photo":                         {photo}, // its channel
		"?q=words":                         nil,     // what is said is found by the search
		"?q=A&view=starred&lang=en":        {photo},
		"?pageSize=2":                      {later, batch},
		"?pageSize=2&page=2":               {upload, gamma},
		"?pageSize=2&page=3":               {photo, beta},
		"?pageSize=2&page=4":               nil,
		"?pageSize=100&page=1&sort=oldest": {beta, photo, gamma, upload, batch, later},
	} {
		_, ids := s.listed(t, query)
		assert.Equal(t, want, ids, query)
	}
	page, _ := s.listed(t, "")
	assert.Equal(t, []any{6.0, 1.0, 24.0, []any{"de", "en"}}, []any{page["total"], page["page"], page["pageSize"], page["langs"]})
	page, _ = s.listed(t, "?pageSize=2&page=3&lang=de")
	assert.Equal(t, []any{2.0, 3.0, 2.0, []any{"de", "en"}}, []any{page["total"], page["page"], page["pageSize"], page["langs"]}, "of all rows, whatever is listed")
	page, ids := s.listed(t, "?view=history", as(s.NewKey(t, "globex")))
	assert.Empty(t, ids, "another account's")
	assert.Equal(t, []any{0.0, []any{}}, []any{page["total"], page["langs"]})
	assert.Equal(t, jobs, s.jobs(t), "to list starts nothing")
}

// Every member of a row, of each kind.
func TestLibraryRows(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	page, _ := s.listed(t, "?view=history&sort=oldest")
	rows := page["transcripts"].([]any)
	shown := func(i int) map[string]any {
		row := rows[i].(map[string]any)
		assert.Regexp(t, anID, row["id"])
		at, err := time.Parse("2006-01-02T15:04:05.000Z", row["createdAt"].(string))
		require.NoError(t, err)
		assert.WithinDuration(t, time.Now(), at, time.Hour)
		for _, own := range []string{"id", "createdAt"} {
			delete(row, own)
		}
		if job, is := row["jobId"]; is {
			assert.Equal(t, http.StatusOK, s.get(t, jobPath(job.(string))).StatusCode)
			delete(row, "jobId")
		}
		return row
	}
	assert.Equal(t, map[string]any{
		"kind": "transcript", "platform": "video_site", "externalId": "beta-video1", "sourceUrl": "https://video.example/watch?v=beta-video1", "lang": "en",
		"title": "Beta", "channel": "Talks", "thumbnailUrl": "https://img.example/b.jpg", "source": "video_site_downloader",
		"errorCode": nil, "words": 2.0, "durationSec": 61.25, "revision": 1.0, "starred": false, "tags": []any{},
	}, shown(0))
	upload := shown(3)
	assert.Equal(t, []any{"transcript", "upload", nil, "talk", nil, "asr"},
		[]any{upload["kind"], upload["platform"], upload["sourceUrl"], upload["title"], upload["channel"], upload["source"]})
	assert.Equal(t, map[string]any{
		"kind": "failed", "jobStatus": "failed", "platform": "video_site", "externalId": "gone-video1", "sourceUrl": "https://video.example/watch?v=gone-video1", "lang": "en",
		"title": nil, "channel": nil, "thumbnailUrl": nil, "source": nil,
		"errorCode": "UNAVAILABLE", "words": 0.0, "durationSec": nil, "starred": false, "tags": []any{},
	}, shown(4))
	assert.Equal(t, map[string]any{
		"kind": "batch", "batchId": s.batch, "batchStatus": "completed", "itemCount": 2.0, "failedCount": 1.0,
		"platform": "video_site", "externalId": s.batch, "sourceUrl": nil, "lang": "de", "title": nil, "channel": nil, "thumbnailUrl": nil, "source": nil,
		"errorCode": nil, "words": 0.0, "durationSec": nil, "starred": false, "tags": []any{},
	}, shown(5))
	assert.Equal(t, s.job, rows[6].(map[string]any)["jobId"])
	require.Eventually(t, func() bool { // its captions are held
		page, _ := s.listed(t, "?lang=fr")
		return page["transcripts"].([]any)[0].(map[string]any)["jobStatus"] == "processing"
	}, time.Minute, 10*time.Millisecond)
	later := shown(6)
	assert.Contains(t, []any{"pending", "processing"}, later["jobStatus"])
	delete(later, "jobStatus")
	assert.Equal(t, map[string]any{
		"kind": "pending", "platform": "video_site", "externalId": "later-video", "sourceUrl": "https://video.example/watch?v=later-video", "lang": "fr",
		"title": nil, "channel": nil, "thumbnailUrl": nil, "source": nil,
		"errorCode": nil, "words": 0.0, "durationSec": nil, "starred": false, "tags": []any{},
	}, later)
}

// The language of what has no text yet is the first that was asked for, or "und" where
// it is to be detected.
func TestLanguagesOfWork(t *testing.T) {
	t.Parallel()
	s := &shelf{service: start(t)}
	defer s.Engine.HoldCaptions()()
	defer s.Engine.Hold()()
	for request, want := range map[string]string{
		`{"url":"language-01"`:                                                            "en",
		`{"url":"language-02","language":"DE-at,en"`:                                      "de-AT",
		`{"url":"language-03","language":"asr"`:                                           "und",
		`{"url":"language-04","language":"asr-en-GB"`:                                     "en-GB",
		`{"url":"https://photos.example/p/CxYz012345a"`:                                   "und",
		`{"platform":"microblog_site","externalId":"1712345678901234567","language":"en"`: "en",
	} {
		a := s.postJSON(t, request+`,"waitMs":0}`)
		require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
		page, _ := s.listed(t, "?pageSize=1")
		row := page["transcripts"].([]any)[0].(map[string]any)
		assert.Equal(t, []any{"pending", want}, []any{row["kind"], row["lang"]}, request)
	}
	for list, want := range map[string]string{"asr": "und", "asr-de": "de", "fr,en": "fr"} {
		a := s.postBatch(t, `{"playlist":"`+playlistID+`","language":"`+list+`"}`)
		require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
		page, _ := s.listed(t, "?platform=batch&pageSize=1")
		assert.Equal(t, want, page["transcripts"].([]any)[0].(map[string]any)["lang"], list)
	}
}

// Nothing of a batch that is canceled stays on its way.
func TestLibraryOfACancelledBatch(t *testing.T) {
	t.Parallel()
	s := &shelf{service: start(t)}
	release := s.Engine.HoldCaptions()
	defer release()
	id := s.newBatch(t, videos(0, 60)) // more than are taken up at once
	require.Eventually(t, func() bool { return s.Engine.CaptionReads(transcript.VideoSite) > 0 }, time.Minute, 10*time.Millisecond)
	require.Equal(t, http.StatusAccepted, s.do(t, http.MethodPost, batchPath(id)+"/cancel", nil).StatusCode)
	release()
	require.Eventually(t, func() bool { return s.batchPage(t, id, "?maxResults=1").Batch.Counts.Pending == 0 }, time.Minute, 20*time.Millisecond)
	counts := s.batchPage(t, id, "?maxResults=1").Batch.Counts
	assert.Positive(t, counts.Skipped())
	require.Eventually(t, func() bool { // jobs of canceled items leave the list soon
		page, _ := s.listed(t, "?platform=video_site&pageSize=100")
		for _, row := range page["transcripts"].([]any) {
			if row.(map[string]any)["kind"] != "transcript" {
				return false
			}
		}
		return len(page["transcripts"].([]any)) >= counts.Success
	}, time.Minute, 20*time.Millisecond)
}

// The plan bounds the texts of an account's own: imports, corrections, restores and uploads. Texts of
// links cost nothing, a job that was accepted saves its text, and what is refused changes nothing.
func TestRoomOfALibrary(t *testing.T) {
	t.Parallel()
	plan := smallPlan()
	plan.MaxLibraryBytes, plan.TranscriptsPerPeriod, plan.ASRMinutesPerPeriod = 2000, 100, 100
	s := start(t, offerPlans(plan))
	library := func() map[string]any { return s.usage(t)["library"].(map[string]any) }
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`).StatusCode)
	assert.Equal(t, map[string]any{"bytes": 0.0, "maxBytes": 2000.0}, library(), "a text that all share")

	require.Equal(t, http.StatusOK, s.edit(t, "*", `{"segments": [{"index": 0, "text": "corrected"}]}`).StatusCode)
	used := library()["bytes"].(float64)
	assert.Positive(t, used)
	before := s.get(t, savedVideo)
	a := s.putFile(t, "?language=de", "text/plain", strings.Repeat("a long line of text\n", 100))
	require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
	assert.Equal(t, "UPGRADE_REQUIRED", a.failure(t)["code"])
	assert.Equal(t, plan.ActionURL, a.failure(t)["actionUrl"])
	details := a.failure(t)["details"].(map[string]any)
	assert.Equal(t, []any{used, 2000.0}, []any{details["usedBytes"], details["limitBytes"]})
	assert.Greater(t, details["neededBytes"], 2000.0-used)
	a = s.edit(t, "*", `{"segments": [{"index": 0, "text": "`+strings.Repeat("long ", 400)+`"}]}`)
	require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
	assert.Equal(t, before.object(t), s.get(t, savedVideo).object(t))
	assert.Equal(t, []string{"2 edit 1", "1 original 0"}, s.get(t, savedVideo+"/revisions").history(t))
	assert.Equal(t, map[string]any{"bytes": used, "maxBytes": 2000.0}, library())

	require.Equal(t, http.StatusCreated, s.putFile(t, "?language=fr", "text/plain", strings.Repeat("x", 500)).StatusCode)
	uploads := 0
	for library()["bytes"].(float64) < 2000 {
		uploads++
		s.keepNothing(t, strings.Repeat("a", uploads))
	}
	assert.Positive(t, uploads)
	full := s.postForm(t, []part{file(wav("one more"))})
	require.Equal(t, http.StatusPaymentRequired, full.StatusCode, full.body)
	assert.Equal(t, "UPGRADE_REQUIRED", full.failure(t)["code"])
	assert.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`"}`).StatusCode, "a link still has an answer")
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, savedVideo, nil).StatusCode)
	assert.Less(t, library()["bytes"], 2000.0)
	s.keepNothing(t, "one more")
}

// keepNothing uploads a file and waits for its text.
func (s *service) keepNothing(t *testing.T, sound string) {
	t.Helper()
	a := s.postForm(t, []part{field("waitMs", "10000"), file(wav(sound))})
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
}
