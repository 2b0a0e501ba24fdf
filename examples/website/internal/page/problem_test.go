package page_test

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/page"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// overAPI is pages over an API that answers as the test wants, and what they log.
func overAPI(t *testing.T, api http.HandlerFunc) (*site, *lockedBuffer) {
	t.Helper()
	s, log := newSite(t, visitor.User), &lockedBuffer{}
	pages, err := page.New(web.Options{API: api, Visitors: s.visitors, Accounts: s.Accounts, Log: slog.New(slog.NewTextHandler(log, nil))})
	require.NoError(t, err)
	whole := s.visitors.Identify(pages)
	s.pages.Store(&whole)
	return s, log
}

type lockedBuffer struct {
	mutex sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) take() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	defer b.Reset()
	return b.String()
}

// asking are requests that ask the API for all that they show or do.
var asking = []string{
	"GET /library", "GET /library?in=said&q=a", "GET /usage", "GET /batches", "GET /batches/x", "GET /jobs/x", "GET /discover?q=a+b",
	"GET /discover/channels/UCaaaaaaaaaaaaaaaaaaaaaa", "GET /discover/playlists/PLaaaaaaaaaaaaaaaa",
	"GET /transcripts/video_site/dQw4w9WgXcQ?language=en", "GET /transcripts/video_site/dQw4w9WgXcQ/download?format=srt",
	"POST /transcripts links=dQw4w9WgXcQ", "POST /transcripts links=dQw4w9WgXcQ,aaaaaaaaaaa", "POST /transcripts/video_site/dQw4w9WgXcQ language=de",
	"POST /batches links=dQw4w9WgXcQ", "POST /batches/x/retry", "POST /batches/x/cancel", "POST /batches/x/delete", "POST /jobs/x/cancel",
	"POST /discover video=dQw4w9WgXcQ", "POST /library/transcripts/video_site/dQw4w9WgXcQ/star starred=true",
}

// some are the requests for the nth of several refusals. All refusals together have each request, and
// each refusal has some; with -short not each of them has all.
func some(requests []string, n int) (these []string) {
	const every = 7
	for at, request := range requests {
		if !testing.Short() || (at+n)%every == 0 {
			these = append(these, request)
		}
	}
	return these
}

// ask sends one of asking.
func (s *site) ask(t *testing.T, request string) answered {
	t.Helper()
	parts := strings.Fields(request)
	if parts[0] == http.MethodGet {
		return s.get(t, parts[1])
	}
	var fields []string
	for _, field := range parts[2:] {
		name, value, _ := strings.Cut(field, "=")
		fields = append(fields, name, value)
	}
	return s.post(t, parts[1], fields...)
}

// Whatever the API refuses, every page says why and what can be done in words of its own, when,
// and by which number an operator finds it.
func TestPagesTellWhatTheAPIRefuses(t *testing.T) {
	t.Parallel()
	type refusal struct {
		status int
		code   string
		why    string
		says   string // the cure
	}
	var refused refusal
	s, log := overAPI(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "req-7")
		w.Header().Set("Content-Type", "application/json")
		if refused.status == http.StatusTooManyRequests || refused.status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "90")
		}
		w.WriteHeader(refused.status)
		_, _ = fmt.Fprintf(w, `{"error":{"code":%q,"message":"It <b>is</b> so.","actionLabel":"","actionUrl":"","requestId":"req-7"}}`, refused.code)
	})
	var n int
	for n, refused = range []refusal{
		{401, "UNAUTHORIZED", "You are not signed in.", "Sign in, and try again."},
		{401, "INVALID_CREDENTIAL", "You are not signed in any more.", "Sign in again."},
		{402, "UPGRADE_REQUIRED", "Your plan does not include this.", "Choose a plan that includes it."},
		{403, "FORBIDDEN", "You may not do this.", "Sign in with an account that may do this."},
		{404, "NO_TRANSCRIPT", "There is no text for this.", "Choose a recording with captions"},
		{413, "MEDIA_TOO_LARGE", "The recording is too large or too long.", "Choose a shorter recording"},
		{422, "UNSUPPORTED_PLATFORM", "The link leads to an unsupported site.", "Save the recording yourself"},
		{429, "RATE_LIMITED", "That was too much at once.", "Wait a moment, and try again."},
		{500, "INTERNAL", "Something went wrong on our side.", "give the operator of this website"},
		{502, "UPSTREAM_FAILED", "The site did not send a usable answer.", "Try again in a few minutes."},
		{503, "SERVICE_UNAVAILABLE", "The service is not available for the moment.", "Try again in a moment."},
		{504, "SOMETHING_NEW", "Something went wrong on our side.", ""},
	} {
		for _, request := range some(asking, n) {
			name := fmt.Sprint(request, " ", refused.status, " ", refused.code)
			got := s.ask(t, request)
			shown := html.UnescapeString(got.body)
			assert.Equal(t, refused.status, got.status, name)
			assert.NotContains(t, got.body, "is&lt;/b&gt; so.", name)
			assert.Contains(t, shown, refused.why, name)
			assert.Contains(t, shown, refused.says, name)
			wait := ""
			if refused.status == 429 || refused.status == 503 {
				wait = "90"
				assert.Contains(t, shown, `data-wait="90"`, name)
			}
			assert.Equal(t, wait, got.header.Get("Retry-After"), name)
			assert.Contains(t, shown, "req-7", name)
			assert.Equal(t, refused.status == 401, strings.Contains(shown, `class="button" href="/sign-in`), name)
		}
	}
	assert.NotContains(t, log.take(), "level=ERROR", "the API logs what it refuses")
}

// The API names what is wrong by its place in the request, and speaks of media types: a
// page speaks of what stands on it.
func TestPagesSpeakOfWhatStandsOnThem(t *testing.T) {
	t.Parallel()
	answer := ""
	s, _ := overAPI(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		status, body, _ := strings.Cut(answer, " ")
		code, err := strconv.Atoi(status)
		assert.NoError(t, err)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	})
	invalid := func(path, message string, reason transcript.IssueReason) string {
		return fmt.Sprintf(`422 {"error":{"code":"INVALID_REQUEST","message":"The request is not valid: %s %s.","details":{"issues":[{"path":%q,"message":%q,"reason":%q}]}}}`, path, message, path, message, reason)
	}
	for _, c := range []struct{ answer, says string }{
		{invalid("url", "must have 1 to 2048 characters, not 3000", transcript.IssueLength), "A link has at most 2,048 characters."},
		{invalid("url", "must not hold a user or a password", transcript.IssueInvalid), "The link cannot be read."},
		{invalid("url", "is an address to which this service sends nothing", transcript.IssueRefused), "The service sends nothing to this address."},
		{invalid("feed", "is an address to which this service sends nothing", transcript.IssueRefused), "The service sends nothing to this address."},
		{invalid("q", "must not hold control characters", transcript.IssueInvalid), "Leave out control characters."},
		{invalid("q", "must not be blank", transcript.IssueLength), "Search for 1 to 200 characters."},
		{invalid("urls.0", "must have 1 to 2048 characters, not 0", transcript.IssueLength), "One of the links cannot be read."},
		{invalid("sendMetadata", "must be true or false", transcript.IssueType), "The request contains an invalid value."},
		{`415 {"error":"unsupported_media_type","message":"Send the body as application/json."}`, "This kind of file is not accepted."},
		{`408 {"error":"request_timeout","message":"The body did not arrive in time."}`, "The request took too long to arrive."},
		{`404 {"error":"not_found"}`, "There is nothing at this address."},
		{`402 {"error":{"code":"BATCH_LIMIT_EXCEEDED","message":"x","details":{"limit":1200,"requested":2000}}}`, "A batch may have up to 1,200 items."},
		{`422 {"error":{"code":"MEDIA_TOO_LARGE","message":"x","details":{"limitBytes":1572864}}}`, "The file is larger than 1.5 MiB."},
		{`422 {"error":{"code":"MEDIA_TOO_LARGE","message":"x","details":{"limitSec":5400}}}`, "The recording is longer than 1 hour 30 minutes."},
		{`409 {"error":{"code":"ASR_CONCURRENCY_LIMIT","message":"x","details":{"limit":2}}}`, "Your plan allows no more waiting recordings."},
		{`422 {"error":{"code":"UPLOAD_INVALID"}}`, "The file is not readable audio or video."},
	} {
		answer = c.answer
		for _, request := range []string{"POST /transcripts links=dQw4w9WgXcQ", "GET /discover?q=a+b", "GET /library"} {
			got := html.UnescapeString(s.ask(t, request).body)
			assert.Contains(t, got, c.says, "%s %s", request, answer)
			assert.NotContains(t, got, "The request is not valid", request)
			assert.NotContains(t, got, "as application/json", request)
		}
	}
}

// A panic is logged once and breaks no more than its page, which names it; as do answers
// that end half-way, or say nothing that can be read.
func TestPagesOfABrokenAPI(t *testing.T) {
	t.Parallel()
	var answer http.HandlerFunc
	s, log := overAPI(t, func(w http.ResponseWriter, r *http.Request) { answer(w, r) })
	half := func(w http.ResponseWriter) {
		w.Header().Set("X-Request-Id", "req-8")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"transcripts":[`)
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		id     string // of the request; empty: the page makes one
		logged string // empty: by the service alone
	}{
		"at once":         {func(http.ResponseWriter, *http.Request) { panic("the moon") }, "", "the moon"},
		"half-way":        {func(w http.ResponseWriter, _ *http.Request) { half(w); panic("the moon") }, "req-8", "the moon"},
		"by the service":  {func(w http.ResponseWriter, _ *http.Request) { half(w); panic(http.ErrAbortHandler) }, "req-8", ""},
		"ends half-way":   {func(w http.ResponseWriter, _ *http.Request) { half(w) }, "req-8", "unexpected"},
		"without a word":  {func(http.ResponseWriter, *http.Request) {}, "", "GET"},
		"another address": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, "", "GET"},
	} {
		answer = c.answer
		for _, path := range []string{"/library", "/usage", "/batches/x"} {
			got := s.get(t, path)
			logged := log.take()
			assert.Equal(t, http.StatusInternalServerError, got.status, "%s %s", name, path)
			assert.Contains(t, got.body, "Something went wrong on our side.", name)
			_, after, found := strings.Cut(got.body, "Request: ")
			require.True(t, found, "%s %s", name, path)
			id, _, _ := strings.Cut(after, "<")
			if c.id != "" {
				assert.Equal(t, c.id, id, name)
			}
			if c.logged == "" {
				assert.Empty(t, logged, name)
				continue
			}
			assert.Equal(t, 1, strings.Count(logged, "level=ERROR"), "%s: %s", name, logged)
			assert.Contains(t, logged, "request="+id, name)
			assert.Contains(t, logged, c.logged, name)
		}
	}
}

// A panic of a page itself is shown as those of the API are.
func TestPageThatPanics(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	s := newSite(t, visitor.User)
	pages, err := page.New(web.Options{API: s.Handler(), Visitors: s.visitors, Log: slog.New(slog.NewTextHandler(&log, nil))}) // no Accounts: /keys needs them
	require.NoError(t, err)
	whole := s.visitors.Identify(pages)
	s.pages.Store(&whole)
	got := s.get(t, "/keys")
	assert.Equal(t, http.StatusInternalServerError, got.status)
	assert.Contains(t, got.body, "Something went wrong on our side.")
	assert.Contains(t, got.body, "Request: ")
	assert.Equal(t, 1, strings.Count(log.take(), "panic: "))
}
