package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

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
		"errorCode": nil, "words": 2.0, "durationSec": 61.25, "revision": 1.0, "starred": false,
	}, shown(0))
	upload := shown(3)
	assert.Equal(t, []any{"transcript", "upload", nil, "talk", nil, "asr"},
		[]any{upload["kind"], upload["platform"], upload["sourceUrl"], upload["title"], upload["channel"], upload["source"]})
	assert.Equal(t, map[string]any{
		"kind": "failed", "jobStatus": "failed", "platform": "video_site", "externalId": "gone-video1", "sourceUrl": "https://video.example/watch?v=gone-video1", "lang": "en",
		"title": nil, "channel": nil, "thumbnailUrl": nil, "source": nil,
		"errorCode": "UNAVAILABLE", "words": 0.0, "durationSec": nil, "starred": false,
	}, shown(4))
	assert.Equal(t, map[string]any{
		"kind": "batch", "batchId": s.batch, "batchStatus": "completed", "itemCount": 2.0, "failedCount": 1.0,
		"platform": "video_site", "externalId": s.batch, "sourceUrl": nil, "lang": "de", "title": nil, "channel": nil, "thumbnailUrl": nil, "source": nil,
		"errorCode": nil, "words": 0.0, "durationSec": nil, "starred": false,
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
		"errorCode": nil, "words": 0.0, "durationSec": nil, "starred": false,
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
	require.Eventually(t, func() bool { // what nobody wants any more is let go of soon
		page, _ := s.listed(t, "?platform=video_site&pageSize=100")
		for _, row := range page["transcripts"].([]any) {
			if row.(map[string]any)["kind"] != "transcript" {
				return false
			}
		}
		return len(page["transcripts"].([]any)) >= counts.Success
	}, time.Minute, 20*time.Millisecond)
}
