package page_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/page"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// api is the API as the site's modules use it.
func (s *site) api(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(s.base+"/web", client.WithHTTPClient(s.browser))
	require.NoError(t, err)
	return c
}

// begin asks for something without waiting for it, and returns the path of its job.
func (s *site) begin(t *testing.T, source transcript.Source, format transcript.Format) string {
	t.Helper()
	_, job, err := s.api(t).Transcripts.Submit(t.Context(), transcript.Request{Source: source, Format: format, Wait: new(time.Duration)})
	require.NoError(t, err)
	return "/jobs/" + job.JobID
}

// end waits for a job.
func (s *site) end(t *testing.T, path string) {
	t.Helper()
	_, _ = s.api(t).Jobs.Wait(t.Context(), strings.TrimPrefix(path, "/jobs/")) // how it has ended is the page's to say
}

// talk is a file whose bytes are its name.
func talk(name string) transcript.Source {
	return transcript.Media(name, int64(len(name)), func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(name)), nil })
}

// Without scripts a job is read, canceled and asked for again.
func TestJobIsReadCanceledAndAskedForAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	release := s.Engine.Hold()
	defer release()
	sent := s.post(t, "/transcripts", "links", "dQw4w9WgXcQ", "language", "asr")
	require.Equal(t, http.StatusSeeOther, sent.status)
	to := sent.header.Get("Location")
	require.Regexp(t, `^/jobs/[0-9a-f-]{36}\?language=asr&links=dQw4w9WgXcQ$`, to)
	require.NoError(t, s.Engine.Await(t.Context(), 1))

	shown := s.get(t, to)
	require.Equal(t, http.StatusOK, shown.status)
	assert.Contains(t, shown.body, `<title>Recognizing speech`)
	assert.Contains(t, shown.body, `data-stage="asr_running" data-after="queued duration_check asr_queued" aria-current="step"`)
	assert.Contains(t, shown.body, `data-stage="duration_check" data-after="queued" class="past"`)
	assert.Regexp(t, `<noscript><meta http-equiv="refresh" content="\d+"></noscript>`, shown.body)
	assert.Contains(t, shown.body, `href="https://www.youtube.com/watch?v=dQw4w9WgXcQ"`)
	assert.Regexp(t, `is-processing">Recognizing speech`, s.get(t, "/").body)

	path, _, _ := strings.Cut(to, "?")
	for range 2 { // what has ended is shown as it has ended
		sent = s.post(t, path+"/cancel", "links", "dQw4w9WgXcQ", "language", "asr")
		require.Equal(t, http.StatusSeeOther, sent.status)
		require.Equal(t, to, sent.header.Get("Location"))
	}
	shown = s.get(t, to)
	assert.Contains(t, shown.body, "<h1>Canceled</h1>")
	assert.NotContains(t, shown.body, "refresh")
	assert.Contains(t, shown.body, `name="language" value="asr"`)
	release()
	sent = s.post(t, "/transcripts", "links", "dQw4w9WgXcQ", "language", "asr")
	require.Equal(t, http.StatusSeeOther, sent.status)
	assert.NotEqual(t, to, sent.header.Get("Location"))
}

func TestJobLeadsToItsText(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	for name, format := range map[string]transcript.Format{"as segments": transcript.JSON, "as a program's text": transcript.Text} {
		path := s.begin(t, talk(name), format)
		s.end(t, path)
		shown := s.get(t, path)
		assert.Equal(t, http.StatusSeeOther, shown.status, name)
		assert.Regexp(t, `^/transcripts/upload/[0-9a-f]{32}\?language=en&as=new$`, shown.header.Get("Location"), name)
		require.Equal(t, http.StatusOK, s.get(t, shown.header.Get("Location")).status, name)
		require.Equal(t, http.StatusOK, s.get(t, "/").status)
	}
}

func TestFailedJobSaysWhyAndWhatToDo(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "The file is <b>no</b> media."))
	path := s.begin(t, talk("<i>talk.wav"), "")
	s.end(t, path)
	shown := s.get(t, path)
	require.Equal(t, http.StatusOK, shown.status)
	assert.Contains(t, shown.body, "The file is not readable audio or video.")
	assert.Contains(t, shown.body, "that plays on your device")
	assert.Contains(t, shown.body, "&lt;i&gt;talk</strong>")
	assert.Contains(t, shown.body, "Choose the file again")
	assert.NotContains(t, shown.body, "caption_fetch")
	assert.NotContains(t, shown.body, `http-equiv="refresh"`)

	s.Engine.FailCaptions(transcript.Errorf(transcript.LoginRequired, "It is for those who log in."))
	path = s.begin(t, transcript.URL("dQw4w9WgXcQ"), "")
	s.end(t, path)
	shown = s.get(t, path)
	assert.Contains(t, shown.body, "The site shows the content only after a login.")
	assert.Contains(t, shown.body, "upload it as a file")
	assert.Contains(t, shown.body, `href="/?links=https%3A%2F%2Fwww.youtube.com`) // to change it
	assert.NotContains(t, shown.body, ">Try again<")                              // which would fail again
}

// Nobody sees another's job, and what is not there says what to do.
func TestJobsOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	sent := s.post(t, "/transcripts", "links", "dQw4w9WgXcQ", "language", "asr")
	require.Equal(t, http.StatusSeeOther, sent.status)
	path := s.begin(t, transcript.URL("9bZkp7q19f0"), "")
	s.end(t, path)
	require.Equal(t, http.StatusSeeOther, s.get(t, path).status)

	s.browser.Jar = nil // somebody else
	shown := s.get(t, path)
	assert.Equal(t, http.StatusUnauthorized, shown.status)
	assert.Contains(t, shown.body, `href="/sign-in?next=`+url.QueryEscape(path))

	s = newSite(t, visitor.User)
	for _, id := range []string{"nothing", "01a20108-7e24-7041-85a5-6bfea3283394", "%2e%2e"} {
		shown = s.get(t, "/jobs/"+id)
		assert.Equal(t, http.StatusNotFound, shown.status, id)
		assert.Contains(t, shown.body, "7 days after the work has ended", id)
	}
}

// A service of another version may say what the pages do not know.
func TestJobOfAnotherVersionIsShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ job, wants string }{
		"an unknown stage":      {`{"jobId": "1", "status": "processing", "stage": "dreaming <b>", "sequence": 1, "attempt": 1}`, "Working"},
		"an unknown status":     {`{"jobId": "1", "status": "paused", "stage": "queued"}`, "<h1>"},
		"too much progress":     {`{"jobId": "1", "status": "processing", "stage": "asr_running", "progress": {"fraction": 1e300, "processedSec": 1e300, "totalSec": -1}}`, `value="100"`},
		"a failure without why": {`{"jobId": "1", "status": "failed", "stage": "queued"}`, "<h1>"},
		"an unknown code":       {`{"jobId": "1", "status": "failed", "stage": "queued", "error": {"code": "NEW", "message": ""}}`, "Something went wrong on our side."},
		"a code without links":  {`{"jobId": "1", "status": "failed", "stage": "queued", "error": {"code": "UPGRADE_REQUIRED", "message": "x", "actionUrl": "javascript:alert(1)"}}`, `href="#ZgotmplZ"`},
		"a text without a text": {`{"jobId": "1", "status": "success", "stage": "done", "sequence": 3, "attempt": 1, "format": "json", "cached": false}`, "no longer available"},
	} {
		pages, err := page.New(web.Options{Log: slog.New(slog.NewTextHandler(t.Output(), nil)), API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Retry-After", "-5")
			_, _ = io.WriteString(w, c.job)
		})})
		require.NoError(t, err)
		require.True(t, json.Valid([]byte(c.job)), name)
		answer := httptest.NewRecorder()
		pages.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/jobs/1", nil))
		assert.Equal(t, http.StatusOK, answer.Code, name)
		assert.Contains(t, answer.Body.String(), c.wants, name)
		assert.NotContains(t, answer.Body.String(), "dreaming <b>", name)
	}
}

// The page says that nothing was heard in a recording without speech, and names no language.
func TestNothingWasHeard(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.Engine.Say("")
	path := s.begin(t, talk("a tone"), "")
	s.end(t, path)
	shown := s.get(t, s.get(t, path).header.Get("Location"))
	require.Equal(t, http.StatusOK, shown.status)
	assert.Contains(t, shown.body, `<p class="hint">No speech was heard.</p>`)
	assert.NotContains(t, shown.body, "<li>English</li>")
	rows := s.get(t, "/library")
	require.Equal(t, http.StatusOK, rows.status)
	assert.Contains(t, rows.body, "<span>No speech was heard</span>")
	assert.NotContains(t, rows.body, "0 words")
}

// blocks is a site that blocks for a long time. The words of the service stay off the pages.
func blocks() error {
	e := transcript.Errorf(transcript.IPBlocked, "The <b>site</b> blocks. Ask less.")
	e.Cure, e.RetryAfter = "Ask less.", 3600
	return e
}

// awaitWhy waits until a job tells why it waits.
func (s *site) awaitWhy(t *testing.T, path string) {
	t.Helper()
	for event, err := range s.api(t).Jobs.Events(t.Context(), strings.TrimPrefix(path, "/jobs/")) {
		require.NoError(t, err)
		if event.Job.LastError != nil {
			return
		}
	}
	t.Fatal("the job has ended")
}

// A job that waits for a site says so, and what to do about it. A canceled job does not.
func TestJobSaysWhyItWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.Engine.FailCaptions(blocks())
	path := s.begin(t, transcript.URL("dQw4w9WgXcQ"), "")
	s.awaitWhy(t, path)
	shown := s.get(t, path)
	require.Equal(t, http.StatusOK, shown.status)
	assert.Contains(t, shown.body, `<p id="why" class="hint" role="status" dir="auto">The site blocks this service for the moment. Try again later.</p>`)
	require.Equal(t, http.StatusSeeOther, s.post(t, path+"/cancel").status)
	assert.NotContains(t, s.get(t, path).body, "The site blocks")
}
