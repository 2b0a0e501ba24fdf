package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
)

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{
		"/", "/v1", "/v1/transcript/", "/v1/transcripts", "/v1/transcript/job", "/v1/transcript/job/", "/v1//transcript",
		"/v1/transcript/../transcript", "/v1/transcript/job/" + strings.Repeat("a/", 50), "/docs/", "/healthz/",
	} {
		a := s.get(t, path)
		assert.Equal(t, http.StatusNotFound, a.StatusCode, path)
		assert.Equal(t, "not_found", a.slug(t), path)
	}
	for _, c := range []struct{ method, path, allow string }{
		{http.MethodGet, "/v1/transcript", "OPTIONS, POST"},
		{http.MethodPut, "/v1/transcript", "OPTIONS, POST"},
		{http.MethodGet, "/v1/transcript/uploads/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", "DELETE, HEAD, PATCH"},
		{http.MethodGet, "/v1/uploads/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", "DELETE, HEAD, PATCH"},
		{http.MethodOptions, "/v1/usage", "GET, HEAD"},
		{http.MethodDelete, unknownJob, "GET, HEAD"},
		{http.MethodPost, unknownJob + "/events", "GET"},
		{http.MethodHead, unknownJob + "/events", "GET"},
		{http.MethodPost, "/healthz", "GET, HEAD"},
		{"BREW", "/docs/openapi.json", "GET, HEAD"},
	} {
		a := s.do(t, c.method, c.path, nil)
		assert.Equal(t, http.StatusMethodNotAllowed, a.StatusCode, "%s %s", c.method, c.path)
		assert.Equal(t, c.allow, a.Header.Get("Allow"), "%s %s", c.method, c.path)
		if c.method != http.MethodHead {
			assert.Equal(t, "method_not_allowed", a.slug(t), "%s %s", c.method, c.path)
		}
	}
	assert.Equal(t, http.StatusNotFound, s.get(t, "/v1/other", as("")).StatusCode, "also to strangers")
}

func TestHead(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.job(t, "a file")
	s.ended(t, id)
	for _, path := range []string{"/healthz", "/docs/openapi.json", jobPath(id)} {
		get, head := s.get(t, path), s.do(t, http.MethodHead, path, nil)
		assert.Equal(t, http.StatusOK, head.StatusCode, path)
		assert.Empty(t, head.body, path)
		assert.Equal(t, get.Header.Get("Content-Length"), head.Header.Get("Content-Length"), path)
		assert.Equal(t, get.Header.Get("ETag"), head.Header.Get("ETag"), path)
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	s := start(t)
	const uuid7 = `^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`
	longest := strings.Repeat("a", 64)
	for sent, kept := range map[string]bool{
		"my-id_1.2": true, longest: true,
		"": false, longest + "a": false, "a b": false, "ä": false, "<x>": false, "a,b": false,
	} {
		for _, path := range []string{"/healthz", "/nowhere", unknownJob} {
			a := s.get(t, path, header("X-Request-Id", sent))
			id := a.Header.Get("X-Request-Id")
			if kept {
				assert.Equal(t, sent, id, path)
			} else {
				assert.Regexp(t, uuid7, id, "%s: %q", path, sent)
			}
			assert.Contains(t, s.log.String(), "request="+id+" ", path)
		}
	}
	assert.Equal(t, "one", s.get(t, unknownJob, header("X-Request-Id", "one")).failure(t)["requestId"])
	assert.Equal(t, "two", s.get(t, "/nowhere", header("X-Request-Id", "two")).object(t)["requestId"])
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.job(t, "a file")
	for path, cache := range map[string]string{
		jobPath(id): "private, no-cache", unknownJob: "private, no-cache", jobPath(id) + "/events": "no-store",
		"/readyz": "no-store", "/nowhere": "private, no-cache", "/docs/openapi.json": "public, max-age=300",
	} {
		a := s.get(t, path)
		assert.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"), path)
		assert.Equal(t, "Authorization, X-API-Key, Accept-Encoding", a.Header.Get("Vary"), path)
		assert.Equal(t, cache, a.Header.Get("Cache-Control"), path)
	}
}

// Who stands before the handler, as for the sites of others, has a word in what is cached.
func TestVaryOfOthers(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/docs/openapi.json", "/nowhere", unknownJob} {
		for _, encoding := range []string{"gzip", "identity"} {
			w := httptest.NewRecorder()
			w.Header().Add("Vary", "Origin")
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.Header.Set("Accept-Encoding", encoding)
			s.Server.Server.Handler().ServeHTTP(w, r)
			assert.Equal(t, []string{"Origin", "Authorization, X-API-Key, Accept-Encoding"}, w.Result().Header["Vary"], "%s as %s", path, encoding)
		}
	}
}

// One line for each request, with what helps and nothing that must not be there.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.Say("a word nobody else may read")
	a := s.postForm(t, []part{field("waitMs", "10000"), {name: "file", filename: "private name.wav", content: "a file"}})
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	s.get(t, unknownJob+"?token=hush", header("X-Request-Id", "asked"))
	s.get(t, "/nowhere?token=hush", as(""), header("X-Request-Id", "lost"))
	log := s.log.String()
	lines := map[string]string{}
	for line := range strings.Lines(log) {
		if _, rest, ok := strings.Cut(line, "msg=request request="); ok {
			id, _, _ := strings.Cut(rest, " ")
			assert.NotContains(t, lines, id, "a second line")
			lines[id] = line
		}
	}
	upload := lines[a.Header.Get("X-Request-Id")]
	for _, want := range []string{"method=POST", "route=/v1/transcript ", "status=200", "account=acme", "key=" + s.Key[:11], "took=", fmt.Sprint("bytes=", len(a.body))} {
		assert.Contains(t, upload, want)
	}
	assert.Contains(t, lines["asked"], "route=/v1/transcript/job/{id} status=404")
	assert.Contains(t, lines["lost"], "route=none status=404")
	assert.NotContains(t, lines["lost"], "account=")
	for _, secret := range []string{"hush", "nobody else", "private name"} {
		assert.NotContains(t, log, secret)
	}
}

// crashing is an authenticator that does.
type crashing struct{}

func (crashing) Authenticate(_ context.Context, r *http.Request) (account.Principal, error) {
	if r.Header.Get("Cookie") != "" {
		return account.Principal{Account: "ann", Scopes: account.Scopes()}, nil
	}
	panic("out of luck")
}

func TestCrash(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { c.Authenticator = crashing{} })
	a := s.get(t, unknownJob)
	require.Equal(t, http.StatusInternalServerError, a.StatusCode)
	assert.Equal(t, "internal_error", a.slug(t))
	assert.NotContains(t, a.body, "luck")
	log := s.log.String()
	assert.Contains(t, log, "out of luck")
	assert.Contains(t, log, "crashing.Authenticate", "and where")
	assert.Contains(t, log, "status=500")
	assert.Equal(t, http.StatusOK, s.get(t, "/healthz", as("")).StatusCode, "the others live")

	// Half an answer is cut off, so that it does not look whole.
	site := httptest.NewServer(s.Authenticate(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half") // to be cut off
		panic("later")
	})))
	t.Cleanup(site.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, site.URL, nil)
	require.NoError(t, err)
	r.Header.Set("Cookie", "session=1")
	client := &http.Client{Transport: new(http.Transport)}
	resp, err := client.Do(r)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close() // broken anyway
	}
	assert.Error(t, err)
	client.CloseIdleConnections()
}

// A client that goes away while its answer is made is in the log as such.
func TestClientThatGoes(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	s := start(t, func(c *server.Config) { c.Authenticator = waiting{asked} })
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+unknownJob, nil)
	require.NoError(t, err)
	go func() {
		<-asked
		cancel()
	}()
	_, err = s.http.Do(r)
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "status=499") }, time.Minute, 5*time.Millisecond)
	assert.NotContains(t, s.log.String(), "level=ERROR")
}

// waiting is an authenticator that takes as long as the request.
type waiting struct{ asked chan struct{} }

func (w waiting) Authenticate(ctx context.Context, _ *http.Request) (account.Principal, error) {
	close(w.asked)
	<-ctx.Done()
	return account.Principal{}, ctx.Err()
}

// deadlines is a writer that knows when its connection is given up.
type deadlines struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error  { d.read = t; return nil }
func (d *deadlines) SetWriteDeadline(t time.Time) error { d.write = t; return nil }

// Every request with a body has such a deadline, also where nobody reads it.
func TestPatienceWithEveryBody(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/v1/transcript", "/nowhere"} {
		d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		s.Handler().ServeHTTP(d, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader("{}")))
		assert.WithinDuration(t, time.Now().Add(30*time.Second), d.read, 30*time.Second, path)
	}
}
