package client_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestErrorOfEveryBody(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		header http.Header
		body   string
		want   client.Error // Code, Slug, Message, Action…, AvailableLanguages, Details, RetryAfter
		id     string
		text   string
	}{
		"object": {
			status: 404, header: http.Header{"X-Request-Id": {"r_1"}, "Content-Type": {"application/json"}},
			body: `{"error":{"code":"LANGUAGE_NOT_AVAILABLE","message":"None of them.","availableLanguages":["de","fr"],"details":{"a":1},"requestId":"other"}}`,
			want: client.Error{Code: transcript.LanguageNotAvailable, Message: "None of them.", AvailableLanguages: []string{"de", "fr"}, Details: map[string]any{"a": 1.0}},
			id:   "r_1",
			text: "GET /v1/transcript/job/" + jobID + ": 404 LANGUAGE_NOT_AVAILABLE: None of them. (request r_1)",
		},
		"object with action": {
			status: 402,
			body:   `{"error":{"code":"UPGRADE_REQUIRED","message":"m","actionLabel":"Upgrade","upgrade_url":"https://e/plans","requestId":"r_2"}}`,
			want:   client.Error{Code: transcript.UpgradeRequired, Message: "m", ActionLabel: "Upgrade", ActionURL: "https://e/plans"},
			id:     "r_2",
			text:   "GET /v1/transcript/job/" + jobID + ": 402 UPGRADE_REQUIRED: m Upgrade: https://e/plans (request r_2)",
		},
		"action without a label": {
			status: 402, body: `{"error":{"code":"UPGRADE_REQUIRED","actionUrl":"https://e/plans","upgrade_url":"https://e/old"}}`,
			want: client.Error{Code: transcript.UpgradeRequired, ActionURL: "https://e/plans"},
			text: "GET /v1/transcript/job/" + jobID + ": 402 UPGRADE_REQUIRED: See: https://e/plans",
		},
		"retry after in the body only": {
			status: 503, body: `{"error":{"code":"IP_BLOCKED","message":"m","retryAfter":30}}`,
			want: client.Error{Code: transcript.IPBlocked, Message: "m", RetryAfter: 30 * time.Second},
			text: "GET /v1/transcript/job/" + jobID + ": 503 IP_BLOCKED: m Try again in 30s.",
		},
		"absurd retry after": {
			status: 503, body: `{"error":{"code":"IP_BLOCKED","retryAfter":9223372036854775807}}`,
			want: client.Error{Code: transcript.IPBlocked, RetryAfter: 365 * 24 * time.Hour},
		},
		"flat with a code": {
			status: 429, header: http.Header{"Retry-After": {"7"}}, body: `{"error":"rate_limited","requestId":"r_3"}`,
			want: client.Error{Code: transcript.RateLimited, Slug: "rate_limited", RetryAfter: 7 * time.Second}, id: "r_3",
			text: "GET /v1/transcript/job/" + jobID + ": 429 RATE_LIMITED: Try again in 7s. (request r_3)",
		},
		"flat, with a code that only flat errors have": {
			status: 401, body: `{"error":"invalid_credential"}`, want: client.Error{Code: transcript.InvalidCredential, Slug: "invalid_credential"},
			text: "GET /v1/transcript/job/" + jobID + ": 401 INVALID_CREDENTIAL",
		},
		"flat without a code": {
			status: 431, body: `{"error":"request_header_fields_too_large"}`, want: client.Error{Slug: "request_header_fields_too_large"},
			text: "GET /v1/transcript/job/" + jobID + ": 431 request_header_fields_too_large",
		},
		"flat, with what to do": {
			status: 415, body: `{"error":"unsupported_media_type","message":"Send it otherwise."}`,
			want: client.Error{Code: transcript.UnsupportedMediaType, Slug: "unsupported_media_type", Message: "Send it otherwise."},
		},
		"flat crash":       {status: 500, body: `{"error":"internal_error"}`, want: client.Error{Code: transcript.Internal, Slug: "internal_error"}},
		"unknown code":     {status: 418, body: `{"error":{"code":"TEAPOT","message":"m"}}`, want: client.Error{Code: "TEAPOT", Message: "m"}},
		"wrong types":      {status: 400, body: `{"error":{"code":7,"message":"kept","details":"no","availableLanguages":{}},"requestId":[]}`, want: client.Error{Message: "kept"}},
		"error is a list":  {status: 400, body: `{"error":[1]}`},
		"error is null":    {status: 400, body: `{"error":null}`},
		"JSON, not object": {status: 400, body: `[]`},
		"HTML": {
			status: 502, header: http.Header{"Content-Type": {"text/html"}}, body: "<html>Bad gateway</html>",
			text: "GET /v1/transcript/job/" + jobID + ": 502 Bad Gateway",
		},
		"nothing, no content type": {status: 503},
		"broken JSON":              {status: 400, body: `{"error":{"code":"INVALID_REQ`},
		"not UTF-8":                {status: 400, body: "{\"error\":\"\xff\xfe\"}", want: client.Error{Slug: "\ufffd\ufffd"}},
		"no redirect target":       {status: 302, body: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, mt := mocked(t, client.WithRetry(client.NoRetry))
			resp := httpmock.NewStringResponse(tc.status, tc.body)
			resp.Header = tc.header.Clone()
			mt.RegisterResponder(http.MethodGet, jobURL, httpmock.ResponderFromResponse(resp))
			job, err := c.Jobs.Get(t.Context(), jobID)
			require.Nil(t, job)
			var e *client.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tc.status, e.Response.StatusCode)
			assert.Equal(t, tc.id, e.Response.RequestID)
			assert.Equal(t, tc.body, string(e.Body))
			assert.NotContains(t, err.Error(), key)
			if tc.text != "" {
				assert.Equal(t, tc.text, err.Error())
			}
			if e.Code != "" {
				require.ErrorIs(t, fmt.Errorf("wrapped: %w", err), e.Code)
			}
			require.NotErrorIs(t, err, transcript.CSVParseError)
			got := client.Error{Code: e.Code, Slug: e.Slug, Message: e.Message, ActionLabel: e.ActionLabel, ActionURL: e.ActionURL,
				AvailableLanguages: e.AvailableLanguages, Details: e.Details, RetryAfter: e.RetryAfter}
			assert.Equal(t, tc.want, got)
		})
	}
}

// Every flat error is matched by a code, and every 401 and 429 by its status, whatever
// its body.
func TestFlatErrorsAreMatchedByCode(t *testing.T) {
	t.Parallel()
	type answer struct {
		status int
		body   string
	}
	answers := map[answer][]error{
		{401, `{"error":"invalid_credential"}`}:                      {transcript.InvalidCredential, transcript.Unauthorized},
		{401, "<html>Who are you?</html>"}:                           {transcript.Unauthorized},
		{401, `{"error":{"code":"UPGRADE_REQUIRED","message":"m"}}`}: {transcript.UpgradeRequired, transcript.Unauthorized},
		{429, ""}: {transcript.RateLimited},
		{418, ""}: {},
	}
	for _, code := range transcript.FlatCodes() {
		if code != transcript.InvalidCredential {
			answers[answer{code.Status(), `{"error":"` + code.Slug() + `"}`}] = []error{code}
		}
	}
	for a, want := range answers {
		c, mt := mocked(t, client.WithRetry(client.NoRetry))
		mt.RegisterResponder(http.MethodGet, jobURL, httpmock.NewStringResponder(a.status, a.body))
		_, err := c.Jobs.Get(t.Context(), jobID)
		require.Error(t, err)
		matched := []error{}
		for _, code := range slices.Compact(slices.Sorted(slices.Values(append(transcript.Codes(), transcript.FlatCodes()...)))) {
			if errors.Is(err, code) {
				matched = append(matched, code)
			}
		}
		assert.ElementsMatch(t, want, matched, "%d %s", a.status, a.body)
	}
}

// TestRefusalOfManyWords: a long body is read like a short one, also that of a
// refused stream; of one over the bound the headers remain.
func TestRefusalOfManyWords(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]string{
		200 << 10: "404 NOT_FOUND: " + strings.Repeat("x", 1000) + "… (request r_1)",
		2 << 20:   "404 Not Found (request r_1)",
	} {
		c := served(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", "r_1")
			writeJSON(w, http.StatusNotFound, object{"error": object{"code": "NOT_FOUND", "message": strings.Repeat("x", length)}})
		})
		var err error
		for _, err = range c.Jobs.Events(t.Context(), jobID) {
			require.Error(t, err)
		}
		require.EqualError(t, err, "GET /v1/transcript/job/"+jobID+"/events: "+want)
	}
}

// TestErrorsAreOneLine: what a service says is printed without what a terminal obeys,
// and cut.
func TestErrorsAreOneLine(t *testing.T) {
	t.Parallel()
	nasty := "one\x1b[2J\r\ntwo\x9b\u202e " + strings.Repeat("x", 900_000)
	why := &transcript.Error{Code: transcript.Code(nasty), Message: nasty, ActionLabel: nasty, ActionURL: nasty}
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/object":
			writeJSON(w, 402, object{"error": object{"code": nasty, "message": nasty, "actionLabel": nasty, "actionUrl": nasty, "requestId": nasty}})
		case "/v1/flat":
			writeJSON(w, 429, object{"error": nasty, "message": nasty, "requestId": nasty})
		default: // no HTTP
			conn, _, err := w.(http.Hijacker).Hijack()
			if assert.NoError(t, err) {
				_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nbad \x1b[2J header\r\n\r\n"))
				_ = conn.Close()
			}
		}
	})
	refused := func(path string) error {
		return c.Do(t.Context(), http.MethodGet, path, nil, nil, client.WithRetry(client.NoRetry))
	}
	for name, err := range map[string]error{
		"object":        refused("/v1/object"),
		"flat":          refused("/v1/flat"),
		"no HTTP":       refused("/v1/none"),
		"job":           &client.JobError{Job: transcript.Job{JobID: nasty, Status: transcript.JobStatus(nasty), Stage: transcript.Stage(nasty), Error: why}},
		"batch":         &client.BatchError{Batch: batch.Job{ID: nasty, Error: why}},
		"wait":          &client.WaitError{Job: transcript.Job{JobID: nasty, Status: "x"}, Err: why},
		"wait at first": &client.WaitError{Job: transcript.Job{JobID: nasty}, Err: why},
		"batch's wait":  &client.BatchWaitError{Batch: batch.Job{ID: nasty, Status: "x"}, Err: why},
		"why":           why,
	} {
		require.Error(t, err, name)
		text := err.Error()
		assert.Less(t, len(text), 6000, name)
		assert.NotRegexp(t, `[\x00-\x1f\x7f]|\x{9b}|\x{202e}`, text, name)
		assert.True(t, utf8.ValidString(text), name)
	}
}

// TestTLSToAPortWithout is said at once, with what to change.
func TestTLSToAPortWithout(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	c, err := client.New(strings.Replace(srv.URL, "http:", "https:", 1))
	require.NoError(t, err)
	_, err = c.Usage.Get(t.Context())
	require.ErrorContains(t, err, "must begin with http://")
	assert.EqualValues(t, 1, connections.Load())
	for _, err = range c.Jobs.Events(t.Context(), jobID) {
		require.ErrorContains(t, err, "must begin with http://")
	}
	require.Error(t, err)
	assert.EqualValues(t, 2, connections.Load())
}

func TestRetryable(t *testing.T) {
	t.Parallel()
	hint := http.Header{"Retry-After": {"1"}}
	for _, tc := range []struct {
		method string
		status int
		code   transcript.Code
		header http.Header
		want   bool
	}{
		{"GET", 429, transcript.RateLimited, nil, true},
		{"PATCH", 429, "", nil, true},
		{"POST", 409, transcript.IdempotencyInProgress, nil, true},
		{"POST", 409, transcript.IdempotencyConflict, nil, false},
		{"POST", 409, transcript.StateConflict, nil, false},
		{"POST", 409, transcript.ASRConcurrencyLimit, hint, false},
		{"GET", 502, transcript.UpstreamFailed, nil, true},
		{"POST", 502, "", nil, true},
		{"PATCH", 502, "", nil, false},
		{"POST", 503, transcript.IPBlocked, hint, true},
		{"PATCH", 503, "", hint, true},
		{"PATCH", 503, "", nil, false},
		{"GET", 503, "", nil, true},
		{"POST", 503, transcript.NotImplemented, nil, false},
		{"POST", 503, transcript.LoginRequired, nil, false},
		{"POST", 503, transcript.POTokenRequired, nil, false},
		{"POST", 503, transcript.ConfigError, nil, false},
		{"GET", 500, transcript.Internal, nil, false},
		{"GET", 504, "", nil, false},
		{"GET", 400, transcript.InvalidRequest, nil, false},
		{"GET", 401, "", nil, false},
		{"GET", 402, transcript.UpgradeRequired, nil, false},
		{"GET", 403, transcript.Forbidden, nil, false},
		{"GET", 404, transcript.NotFound, nil, false},
		{"GET", 422, transcript.UploadInvalid, nil, false},
	} {
		e := &client.Error{Method: tc.method, Code: tc.code, Response: client.Response{StatusCode: tc.status, Header: tc.header}}
		assert.Equal(t, tc.want, e.Retryable(), "%s %d %s %v", tc.method, tc.status, tc.code, tc.header)
	}
}

func TestJobError(t *testing.T) {
	t.Parallel()
	failed := &client.JobError{Job: transcript.Job{JobID: "j", Status: transcript.JobFailed, Stage: transcript.StageDurationCheck,
		Error: &transcript.Error{Code: transcript.VideoTooLong, Message: "too long"}}}
	require.ErrorIs(t, failed, transcript.VideoTooLong)
	assert.EqualError(t, failed, "job j: failed in stage duration_check: VIDEO_TOO_LONG: too long")
	for _, action := range []transcript.Error{{ActionURL: "https://e/plans"}, {UpgradeURL: "https://e/plans"}} {
		action.Code, action.Message, action.ActionLabel, action.RetryAfter = transcript.VideoTooLong, "Too long.", "Upgrade", 30
		failed.Job.Error = &action
		assert.EqualError(t, failed, "job j: failed in stage duration_check: VIDEO_TOO_LONG: Too long. Upgrade: https://e/plans")
	}

	cancelled := &client.JobError{Job: transcript.Job{JobID: "j", Status: transcript.JobCancelled, Stage: transcript.StageQueued}}
	require.NotErrorIs(t, cancelled, transcript.VideoTooLong) // a typed nil inside would panic here
	assert.NoError(t, errors.Unwrap(cancelled))
	assert.EqualError(t, cancelled, "job j: cancelled in stage queued")
}

// A refusal of any size costs little memory, and an answer that is too large is not read.
func TestLargeAnswersAreNotHeld(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		length int64 // -1: it is not announced
		most   int64
	}{
		"a refusal":                   {500, -1, 4<<20 + 1},
		"a refusal that is announced": {500, 200 << 20, 4<<20 + 1},
		"an answer that is announced": {200, 200 << 20, 1<<20 + 1},
		"an answer without an end":    {200, -1, 64<<20 + 1},
	} {
		body := &countedZeros{}
		c, err := client.New(base, client.WithRetry(client.NoRetry), client.WithHTTPClient(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: tc.status, Header: http.Header{}, ProtoMajor: 1, ProtoMinor: 1, Request: r, Body: body, ContentLength: tc.length}, nil
		})}))
		require.NoError(t, err)
		_, err = c.Usage.Get(t.Context())
		var refused *client.Error
		require.ErrorAs(t, err, &refused, name)
		assert.Len(t, refused.Body, 1<<20, name)
		assert.Less(t, len(err.Error()), 200, name)
		assert.Equal(t, tc.status == 200, strings.Contains(err.Error(), "too large"), name)
		assert.LessOrEqual(t, body.read, tc.most, name)
	}
}

// countedZeros is a body without an end.
type countedZeros struct{ read int64 }

func (z *countedZeros) Read(p []byte) (int, error) {
	clear(p)
	z.read += int64(len(p))
	return len(p), nil
}

func (z *countedZeros) Close() error { return nil }
