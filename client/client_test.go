package client_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		url  string
		opt  client.Option
		says string
	}{
		"no scheme":          {"service.test", nil, "scheme"},
		"another scheme":     {"ftp://service.test", nil, "scheme"},
		"empty":              {"", nil, "scheme"},
		"no host":            {"https://", nil, "no host"},
		"no host, a port":    {"https://:80", nil, "no host"},
		"unreadable":         {"https://\x00", nil, "base URL: want http://HOST"},
		"host and port":      {"127.0.0.1:8080", nil, "base URL: want http://HOST"},
		"unreadable secret":  {"https://u:secret#x@service.test", nil, "base URL: want http://HOST"},
		"credentials":        {"https://u:secret@service.test", nil, "WithAPIKey"},
		"query":              {base + "?key=1", nil, "no query"},
		"fragment":           {base + "#a", nil, "no query"},
		"empty key":          {base, client.WithAPIKey(""), "API key"},
		"key over two lines": {base, client.WithAPIKey("tr_secret\n"), "API key"},
		"key with a space":   {base, client.WithAPIKey("tr_secret key"), "at byte 10 of 13: copy the key again"},
		"space before it":    {base, client.WithAPIKey(" tr_secret"), "API key"},
		"key with a letter":  {base, client.WithAPIKey("tr_sécret"), "API key"},
		"key with an escape": {base, client.WithAPIKey("tr_\x7f"), "API key"},
		"port 99999":         {"http://service.test:99999", nil, "the port must be from 1 to 65535"},
		"port 0":             {"http://service.test:0/x", nil, "the port must be from 1 to 65535"},
		"nil client":         {base, client.WithHTTPClient(nil), "nil HTTP client"},
		"nil wrapper":        {base, client.WithMiddleware(nil), "nil middleware"},
		"wrapper gives nil":  {base, client.WithMiddleware(func(http.RoundTripper) http.RoundTripper { return nil }), "returned nil"},
		"nil logger":         {base, client.WithLogger(nil), "nil logger"},
		"empty user agent":   {base, client.WithUserAgent(""), "user agent"},
		"bad header":         {base, client.WithHeader("a b", "c"), "header"},
		"bad header value":   {base, client.WithHeader("a", "c\r\nd: e"), "header"},
		"negative attempts":  {base, client.WithRetry(client.RetryPolicy{Attempts: -1}), "negative"},
		"waits crossed":      {base, client.WithRetry(client.RetryPolicy{MinWait: 2, MaxWait: 1}), "MinWait"},
		"no time":            {base, client.WithAttemptTimeout(0), "timeout"},
		"nil progress":       {base, client.WithUploadProgress(nil), "progress"},
		"nil notify":         {base, client.WithRetryNotify(nil), "notify"},
		"one call's key":     {base, client.WithIdempotencyKey("k"), "one call"},
		"one call's answer":  {base, client.WithResponse(&client.Response{}), "one call"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var opts []client.Option
			if tc.opt != nil {
				opts = append(opts, tc.opt)
			}
			c, err := client.New(tc.url, opts...)
			require.ErrorContains(t, err, tc.says)
			assert.NotContains(t, err.Error(), "secret")
			assert.Nil(t, c)
		})
	}
	_, err := client.New(base, nil)
	require.ErrorContains(t, err, "nil option")
}

func TestCallOptionsRefused(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	for _, opt := range []client.RequestOption{nil, client.WithIdempotencyKey(""), client.WithIdempotencyKey("ü"),
		client.WithIdempotencyKey(strings.Repeat("k", 256)), client.WithResponse(nil), client.WithAPIKey("")} {
		_, err := c.Jobs.Get(t.Context(), jobID, opt)
		require.Error(t, err)
		for _, err := range c.Jobs.Events(t.Context(), jobID, opt) {
			require.Error(t, err)
		}
	}
	assert.Zero(t, mt.GetTotalCallCount())
}

func TestBaseURLKeepsItsPath(t *testing.T) {
	t.Parallel()
	for _, given := range []string{base + "/speech", base + "/speech/"} {
		mt := httpmock.NewMockTransport()
		mt.RegisterResponder("GET", base+"/speech/v1/transcript/job/"+jobID, httpmock.NewJsonResponderOrPanic(200, jobBody("pending", "queued", 1)))
		c, err := client.New(given, client.WithHTTPClient(&http.Client{Transport: mt}))
		require.NoError(t, err)
		_, err = c.Jobs.Get(t.Context(), jobID)
		require.NoError(t, err)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t, client.WithUserAgent("mine/2"), client.WithHeader("X-Team", "a"))
	var got []http.Header
	mt.RegisterResponder("GET", "=~.*", func(r *http.Request) (*http.Response, error) {
		got = append(got, r.Header)
		return httpmock.NewStringResponse(404, ""), nil
	})
	opts := []client.RequestOption{client.WithHeader("x-team", "b"), client.WithHeader("X-Request-Id", "r"), client.WithAPIKey("tr_other")}
	_, err := c.Jobs.Get(t.Context(), jobID, opts...)
	require.Error(t, err)
	_, err = watch(t.Context(), c, opts...)
	require.Error(t, err)
	_, err = c.Jobs.Get(t.Context(), jobID)
	require.Error(t, err)
	for _, h := range got[:2] {
		assert.Equal(t, "mine/2", h.Get("User-Agent"))
		assert.Equal(t, []string{"b"}, h.Values("X-Team"))
		assert.Equal(t, "r", h.Get("X-Request-Id"))
		assert.Equal(t, "Bearer tr_other", h.Get("Authorization"))
	}
	assert.Equal(t, "a", got[2].Get("X-Team"), "an option of one call stays with it")
	assert.Equal(t, "Bearer "+key, got[2].Get("Authorization"))
}

func TestDo(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	mt.RegisterResponder("PUT", base+"/v1/x?a=b", func(r *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(r.Body)
		assert.JSONEq(t, `{"in":1}`, string(body))
		return httpmock.NewStringResponse(200, `{"out":2}`), nil
	})
	var out struct{ Out int }
	require.NoError(t, c.Do(t.Context(), "PUT", "/v1/x?a=b", map[string]int{"in": 1}, &out))
	assert.Equal(t, 2, out.Out)
	require.NoError(t, c.Do(t.Context(), "PUT", "/v1/x?a=b", map[string]int{"in": 1}, nil))
	require.ErrorContains(t, c.Do(t.Context(), "GET", "v1/x", nil, nil), "slash")
	require.Error(t, c.Do(t.Context(), "GET", "/v1/x", make(chan int), nil))
	require.Error(t, c.Do(t.Context(), "G T", "/v1/x", nil, nil))
	require.Error(t, c.Do(t.Context(), "GET", "/v1/%zz", nil, nil))
}

// TestRedirects: a key never reaches another host or an unencrypted connection,
// and a request never becomes another one.
func TestRedirects(t *testing.T) {
	t.Parallel()
	var elsewhere []*http.Request
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { elsewhere = append(elsewhere, r) }))
	t.Cleanup(other.Close)
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/same":
			http.Redirect(w, r, "/v1/target", http.StatusPermanentRedirect)
		case "/v1/target":
			writeJSON(w, 200, object{"method": r.Method, "key": r.Header.Get("Authorization")})
		case "/v1/loop":
			http.Redirect(w, r, "/v1/loop", http.StatusFound)
		case "/v1/changed":
			http.Redirect(w, r, "/v1/target", http.StatusSeeOther)
		default:
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		}
	})
	var out struct{ Method, Key string }
	require.NoError(t, c.Do(t.Context(), "POST", "/v1/same", object{"a": 1}, &out))
	assert.Equal(t, "POST", out.Method)
	assert.Equal(t, "Bearer "+key, out.Key)

	for _, tc := range []struct{ method, path string }{{"GET", "/v1/other"}, {"POST", "/v1/other"}, {"POST", "/v1/changed"}, {"GET", "/v1/loop"}} {
		err := c.Do(t.Context(), tc.method, tc.path, nil, nil)
		var e *client.Error
		require.ErrorAs(t, err, &e, "%v", tc)
		assert.Equal(t, 3, e.Response.StatusCode/100, "%v", tc)
	}
	_, err := watch(t.Context(), c)
	require.ErrorContains(t, err, "307")
	assert.Empty(t, elsewhere)
}

func TestRedirectToPlainHTTP(t *testing.T) {
	t.Parallel()
	var plain []string
	mt := httpmock.NewMockTransport()
	redirect := func(to string) httpmock.Responder {
		return func(r *http.Request) (*http.Response, error) {
			resp := httpmock.NewStringResponse(307, "")
			resp.Header.Set("Location", to)
			resp.Request = r
			return resp, nil
		}
	}
	mt.RegisterResponder("GET", "https://service.test/v1/a", redirect("http://service.test/v1/b"))
	mt.RegisterResponder("GET", "http://service.test/v1/b", func(*http.Request) (*http.Response, error) {
		plain = append(plain, "reached")
		return httpmock.NewStringResponse(200, "{}"), nil
	})
	mt.RegisterResponder("GET", "http://service.test/v1/up", redirect("https://service.test/v1/c"))
	mt.RegisterResponder("GET", "https://service.test/v1/c", httpmock.NewStringResponder(200, "{}"))
	secure, err := client.New("https://service.test", client.WithHTTPClient(&http.Client{Transport: mt}), client.WithAPIKey(key))
	require.NoError(t, err)
	require.ErrorContains(t, secure.Do(t.Context(), "GET", "/v1/a", nil, nil), "307")
	assert.Empty(t, plain)
	open, err := client.New("http://service.test", client.WithHTTPClient(&http.Client{Transport: mt}), client.WithAPIKey(key))
	require.NoError(t, err)
	require.NoError(t, open.Do(t.Context(), "GET", "/v1/up", nil, nil), "to https on the same name is fine")
}

// TestUsersHTTPClient: it is copied, and its idle connections are left alone.
func TestUsersHTTPClient(t *testing.T) {
	t.Parallel()
	spy := &idleSpy{rt: httpmock.NewMockTransport()}
	mine := &http.Client{Transport: spy, Timeout: time.Hour}
	c, err := client.New(base, client.WithHTTPClient(mine), client.WithRetry(quick))
	require.NoError(t, err)
	_, err = c.Jobs.Get(t.Context(), jobID) // nothing is registered: broken connections
	require.Error(t, err)
	_, err = watch(t.Context(), c, client.WithRetry(client.NoRetry))
	require.Error(t, err)
	assert.Zero(t, spy.closed)
	assert.Same(t, spy, mine.Transport)
	assert.Nil(t, mine.CheckRedirect)
	assert.Equal(t, time.Hour, mine.Timeout)
}

type idleSpy struct {
	rt     http.RoundTripper
	closed int
}

func (s *idleSpy) RoundTrip(r *http.Request) (*http.Response, error) { return s.rt.RoundTrip(r) }
func (s *idleSpy) CloseIdleConnections()                             { s.closed++ }

// TestLog: every attempt is a line; secrets are in none.
func TestLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c, mt := mocked(t, client.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	mt.RegisterResponder("POST", "=~.*", script(nil, step{}, step{status: 502, body: object{"b": "secretbody"}},
		step{status: 404, body: object{"error": object{"code": "NOT_FOUND", "message": "m", "requestId": "r_7"}}}))
	require.Error(t, c.Do(t.Context(), "POST", "/v1/x?q=secretquery", object{"a": "secretbody"}, nil))
	mt.RegisterResponder("GET", jobURL+"/events", httpmock.NewStringResponder(401, ""))
	_, err := watch(t.Context(), c)
	require.Error(t, err)
	lines := log.String()
	assert.Equal(t, 4, strings.Count(lines, "\n"))
	assert.Contains(t, lines, "path=/v1/x attempt=2")
	assert.Contains(t, lines, "status=404")
	assert.Contains(t, lines, "status=401")
	assert.NotContains(t, lines, "secret")
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t, client.WithHeader("X-Team", "a"))
	mt.RegisterResponder("GET", jobURL, httpmock.NewJsonResponderOrPanic(200, jobBody("pending", "queued", 1)))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			var resp client.Response
			_, err := c.Jobs.Get(t.Context(), jobID, client.WithHeader("X-Team", "b"), client.WithResponse(&resp))
			assert.NoError(t, err)
			assert.Equal(t, 200, resp.StatusCode)
		})
	}
	all.Wait()
}

// operations are the routes that the service has so far and the methods that
// reach them.
var operations = map[string]any{
	"createTranscript":    (*client.TranscriptService).Submit,
	"getTranscriptInfo":   (*client.TranscriptService).Info,
	"getCaptions":         (*client.TranscriptService).Captions,
	"getTranscriptJob":    (*client.JobService).Get,
	"cancelTranscriptJob": (*client.JobService).Cancel,
	"streamTranscriptJob": (*client.JobService).Events,
	"getSavedTranscript":  (*client.LibraryService).Get,
	"getRecording":        (*client.LibraryService).Media,
	"deleteRecording":     (*client.LibraryService).DeleteMedia,
	"createBatch":         (*client.BatchService).Create,
	"listBatches":         (*client.BatchService).List,
	"getBatch":            (*client.BatchService).Items,
	"listChunks":          (*client.LibraryService).Chunks,
	"searchLibrary":       (*client.LibraryService).Search,
	"retryBatch":          (*client.BatchService).Retry,
	"cancelBatch":         (*client.BatchService).Cancel,
	"deleteBatch":         (*client.BatchService).Delete,
	"exportBatch":         (*client.BatchService).Export,
	"downloadTranscript":  (*client.LibraryService).Download,
	"getUsage":            (*client.UsageService).Get,
	"searchVideoSite":     (*client.VideoService).Search,
	"getVideos":           (*client.VideoService).Get,
	"getChannel":          (*client.VideoService).Channel,
	"listChannelVideos":   (*client.VideoService).Uploads,
	"listPlaylistItems":   (*client.VideoService).Items,

	"listLibrary":           (*client.LibraryService).List,
	"getRelatedTranscripts": (*client.LibraryService).Related,
	"deleteSavedTranscript": (*client.LibraryService).Delete,
	"editTranscript":        (*client.LibraryService).Edit,
	"importTranscript":      (*client.LibraryService).Import,
	"listRevisions":         (*client.LibraryService).Revisions,
	"getRevision":           (*client.LibraryService).Revision,
	"restoreRevision":       (*client.LibraryService).Restore,
	"shareTranscript":       (*client.LibraryService).Share,
	"listShares":            (*client.LibraryService).Shares,
	"deleteShare":           (*client.LibraryService).Unshare,
	"getSharedTranscript":   (*client.LibraryService).Shared,
	"starTranscript":        (*client.LibraryService).Star,
	"unstarTranscript":      (*client.LibraryService).Unstar,
	"getFeed":               (*client.LibraryService).Feed,
	"renewFeed":             (*client.LibraryService).RenewFeed,
	"deleteFeed":            (*client.LibraryService).DeleteFeed,
	"createFollow":          (*client.FollowService).Create,
	"listFollows":           (*client.FollowService).List,
	"getFollow":             (*client.FollowService).Get,
	"changeFollow":          (*client.FollowService).Pause,
	"deleteFollow":          (*client.FollowService).Delete,
	"listFollowItems":       (*client.FollowService).Items,
	"createWebhook":         (*client.WebhookService).Create,
	"listWebhooks":          (*client.WebhookService).List,
	"getWebhook":            (*client.WebhookService).Get,
	"changeWebhook":         (*client.WebhookService).Change,
	"deleteWebhook":         (*client.WebhookService).Delete,
	"rotateWebhook":         (*client.WebhookService).Rotate,
	"testWebhook":           (*client.WebhookService).Test,
	"listDeliveries":        (*client.WebhookService).Deliveries,
	"resendDelivery":        (*client.WebhookService).Resend,
	"resendDeliveries":      (*client.WebhookService).ResendRange,
}

// steps are the operations that a method needs for another operation, and those for browsers.
var steps = map[string]any{
	"getUpload":       (*client.TranscriptService).Submit,
	"continueUpload":  (*client.TranscriptService).Submit,
	"deleteUpload":    (*client.TranscriptService).Submit,
	"getUploadText":   nil, // for a page that records
	"getUploadLimits": nil, // the client learns the limits when it begins an upload
}

// conveniences are the methods that combine operations.
var conveniences = []any{
	(*client.LibraryService).AllSearch, (*client.LibraryService).AllChunks, (*client.LibraryService).GetWithWords, (*client.LibraryService).SharedWithWords,
	(*client.TranscriptService).Get, (*client.JobService).Wait,
	(*client.BatchService).Get, (*client.BatchService).AllItems, (*client.BatchService).All, (*client.BatchService).Wait,
	(*client.LibraryService).All, (*client.LibraryService).Label,
	(*client.FollowService).CreateAll, (*client.FollowService).Resume, (*client.FollowService).All, (*client.FollowService).AllItems,
	(*client.WebhookService).AllDeliveries,
	(*client.VideoService).AllSearch, (*client.VideoService).AllUploads, (*client.VideoService).AllItems,
}

// TestMethodsAndOperations: every operation has its method, and no method is
// without one.
func TestMethodsAndOperations(t *testing.T) {
	t.Parallel()
	methods := 0
	for _, service := range []any{&client.TranscriptService{}, &client.JobService{}, &client.LibraryService{}, &client.BatchService{}, &client.FollowService{}, &client.WebhookService{}, &client.UsageService{}, &client.VideoService{}} {
		methods += reflect.TypeOf(service).NumMethod()
	}
	assert.Equal(t, methods, len(operations)+len(conveniences))
	// Every method takes a context first and options last.
	for name, method := range operations {
		in := reflect.TypeOf(method)
		assert.Equal(t, reflect.TypeFor[context.Context](), in.In(1), name)
		assert.Equal(t, reflect.TypeFor[[]client.RequestOption](), in.In(in.NumIn()-1), name)
	}
}

// TestOperationsAreTheServed: the list of operations is that of the service's own document.
func TestOperationsAreTheServed(t *testing.T) {
	t.Parallel()
	var served []string
	for path, methods := range readDocumented(t, nil).Paths {
		if !strings.HasPrefix(path, "/v1/") || path == "/v1/feeds/{token}" { // programs that read feeds ask for these
			continue
		}
		for _, operation := range methods {
			served = append(served, operation.OperationID)
		}
	}
	assert.ElementsMatch(t, slices.AppendSeq(slices.Collect(maps.Keys(operations)), maps.Keys(steps)), served)
}

// TestDependencies: who imports the client gets no database, queue or server.
func TestDependencies(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	deps := string(out)
	require.Contains(t, deps, "github.com/transcriptkit/transcriptkit/transcript\n")
	for _, unwanted := range []string{"uptrace/bun", "riverqueue", "sqlite", "jackc/pgx", "gocloud.dev",
		"transcriptkit/server", "rivo/uniseg", "swaggest", "testify", "httpmock", "database/sql"} {
		assert.NotContains(t, deps, unwanted)
	}
	for _, given := range []string{"hashicorp/go-retryablehttp", "cenkalti/backoff/v4", "r3labs/sse/v2"} {
		assert.Contains(t, deps, given)
	}
}
