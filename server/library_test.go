package server_test

import (
	"net/http"
	"strings"
	"testing"

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
