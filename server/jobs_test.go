package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

func jobPath(id string) string { return "/v1/transcript/job/" + id }

func TestJobThatRuns(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, release := s.heldJob(t, "a file")
	a := s.get(t, jobPath(id))
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	job := a.object(t)
	assert.Equal(t, id, job["jobId"])
	assert.Equal(t, "processing", job["status"])
	assert.Equal(t, "asr_running", job["stage"])
	assert.Equal(t, 1.0, job["attempt"])
	assert.NotContains(t, job, "transcript")
	assert.NotContains(t, job, "error")
	assert.Equal(t, "5", a.Header.Get("Retry-After"))
	assert.Equal(t, "private, no-cache", a.Header.Get("Cache-Control"))
	assert.Regexp(t, `^W/"[0-9]+-[0-9]{13}"$`, a.Header.Get("ETag"))

	same := s.get(t, jobPath(id), header("If-None-Match", a.Header.Get("ETag")))
	assert.Equal(t, http.StatusNotModified, same.StatusCode)
	assert.Empty(t, same.body)
	assert.Equal(t, a.Header.Get("ETag"), same.Header.Get("ETag"))
	assert.Equal(t, a.Header.Get("Cache-Control"), same.Header.Get("Cache-Control"))
	assert.NotEmpty(t, same.Header.Get("Vary"))
	second := s.get(t, jobPath(id), header("If-None-Match", `"another"`), header("If-None-Match", a.Header.Get("ETag")))
	assert.Equal(t, http.StatusNotModified, second.StatusCode, "every line of the header counts")
	release()
	s.ended(t, id)
	ended := s.get(t, jobPath(id), header("If-None-Match", a.Header.Get("ETag")))
	assert.Equal(t, http.StatusOK, ended.StatusCode)
	assert.Empty(t, ended.Header.Get("Retry-After"))
}

func TestJobThatSucceeded(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.Say("hello world")
	id := s.job(t, "a file")
	job := s.ended(t, id)
	assert.Equal(t, "success", job["status"])
	assert.Equal(t, "done", job["stage"])
	assert.Equal(t, "json", job["format"])
	assert.Equal(t, "en", job["language"])
	assert.Equal(t, false, job["cached"])
	assert.Equal(t, "0:10", job["lengthText"])
	assert.Equal(t, 10.0, job["lengthSeconds"])
	assert.NotContains(t, job, "progress")
	text := job["transcript"].(map[string]any)
	assert.Equal(t, text["id"], job["transcriptRef"])
	assert.Equal(t, "hello world", text["segments"].([]any)[0].(map[string]any)["text"])

	for query, want := range map[string]any{
		"?format=text":                        "[00:00:00] hello world",
		"?format=text&includeTimestamp=true":  "[00:00:00] hello world",
		"?format=text&includeTimestamp=false": "hello world",
	} {
		job := s.get(t, jobPath(id)+query).object(t)
		assert.Equal(t, want, job["transcript"], query)
		assert.Equal(t, want, job["text"], query)
		assert.Equal(t, "text", job["format"], query)
	}
}

// What the query leaves out stays as the POST asked.
func TestJobAsItsPostAsked(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := s.postForm(t, []part{field("waitMs", "0"), field("format", "text"), field("includeTimestamp", "false"), file("a file")})
	require.Equal(t, http.StatusAccepted, a.StatusCode)
	id := a.object(t)["jobId"].(string)
	assert.Equal(t, "hello world", s.ended(t, id)["transcript"])
	assert.Equal(t, "[00:00:00] hello world", s.get(t, jobPath(id)+"?includeTimestamp=true").object(t)["transcript"])
	assert.IsType(t, map[string]any{}, s.get(t, jobPath(id)+"?format=json").object(t)["transcript"])
}

// A failed job is a 200: the request for it did not fail.
func TestJobThatFailed(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "The file is not media."))
	job := s.ended(t, s.job(t, "a file"))
	assert.Equal(t, "failed", job["status"])
	assert.Equal(t, "duration_check", job["stage"], "where it failed")
	assert.Equal(t, map[string]any{"code": "UPLOAD_INVALID", "message": "The file is not media.", "retryable": false}, job["error"])
}

func TestCancel(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, release := s.heldJob(t, "a file")
	defer release()
	a := s.do(t, http.MethodPost, jobPath(id)+"/cancel", nil)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	assert.Equal(t, "cancelled", a.object(t)["status"])
	assert.Equal(t, jobPath(id), a.Header.Get("Location"))
	assert.Equal(t, "cancelled", s.get(t, jobPath(id)).object(t)["status"])

	again := s.do(t, http.MethodPost, jobPath(id)+"/cancel", nil)
	require.Equal(t, http.StatusConflict, again.StatusCode)
	assert.Equal(t, "STATE_CONFLICT", again.failure(t)["code"])
	assert.Equal(t, map[string]any{"status": "cancelled"}, again.failure(t)["details"])
	require.Eventually(t, func() bool { return len(files(t, s.blobs)) == 0 }, time.Minute, 10*time.Millisecond, "its upload goes")
}

// A prefix of the service's own is in what it says, and stripped from what it
// is asked.
func TestLocationUnderAPrefix(t *testing.T) {
	t.Parallel()
	s := start(t, underMedia)
	a := s.postForm(t, []part{field("waitMs", "0"), file("a file")})
	require.Equal(t, http.StatusAccepted, a.StatusCode)
	id := a.object(t)["jobId"].(string)
	assert.Equal(t, "/media/v1/transcript/job/"+id, a.Header.Get("Location"))
	assert.Equal(t, "2", a.Header.Get("Retry-After"))
	assert.Equal(t, http.StatusOK, s.get(t, jobPath(id)).StatusCode)
}
