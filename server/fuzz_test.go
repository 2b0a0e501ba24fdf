package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

// fuzzed is a service with a thing for every route, and its routes.
type fuzzed struct {
	*service
	h      http.Handler
	routes []server.Route
	job    string
}

func newFuzzed(f *testing.F) *fuzzed {
	f.Helper()
	s := start(f)
	a := s.postJSON(f, `{"url":"`+video+`"}`)
	require.Equal(f, http.StatusOK, a.StatusCode, a.body)
	job := s.job(f, "a file")
	require.Equal(f, http.StatusOK, s.get(f, jobPath(job)+"/events").StatusCode) // when it has ended
	return &fuzzed{s, s.Handler(), server.Routes(s.Server.Server), job}
}

// path is that of a route, about a thing that is there where a test can name one.
func (z *fuzzed) path(rt server.Route) string {
	path := strings.NewReplacer("{platform}", "video_site", "{externalId}", video, "{id}", z.job).Replace(rt.Pattern)
	return wildcard.ReplaceAllString(path, "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11")
}

// serve serves a request that no connection has to carry. It is not a fault of the
// service, and what is refused is refused in a few words.
func (z *fuzzed) serve(t *testing.T, r *http.Request) {
	t.Helper()
	w := httptest.NewRecorder()
	z.h.ServeHTTP(w, r)
	assert.Less(t, w.Code, 500, w.Body)
	if w.Code >= 400 {
		assert.Less(t, w.Body.Len(), longestAnswer)
		assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	}
}

// Whatever the query and the body of a request are, by the field tables of all routes.
func FuzzRequest(f *testing.F) {
	z := newFuzzed(f)
	for i, rt := range z.routes {
		with := asks[rt.Operation]
		f.Add(uint8(i), strings.TrimPrefix(with.query, "?"), with.contentType, []byte(with.body))
	}
	f.Add(uint8(0), "", "multipart/form-data; boundary=x", []byte("--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nmedia\r\n--x--\r\n"))
	f.Add(uint8(0), "pageToken=eyJvZiI6Im9mIiwiYWZ0ZXIiOjF9", "text/csv", []byte("url\n"+video+"\n"))
	f.Fuzz(func(t *testing.T, route uint8, query, contentType string, body []byte) {
		rt := z.routes[int(route)%len(z.routes)]
		r := httptest.NewRequestWithContext(t.Context(), rt.Method, z.path(rt), strings.NewReader(string(body)))
		r.URL.RawQuery = query
		r.Header.Set("Authorization", "Bearer "+z.Key)
		r.Header.Set("Content-Type", contentType)
		z.serve(t, r)
	})
}

// Whatever the headers and the ids of a request are.
func FuzzHeaders(f *testing.F) {
	z := newFuzzed(f)
	for i := range z.routes {
		f.Add(uint8(i), "", "Bearer "+z.Key, "k", "3", `W/"6-1795313663681", "x"`, "gzip")
	}
	f.Add(uint8(1), "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", z.Key, "\x00", "-1", `*, W/"`, "gzip;q=0,*")
	f.Add(uint8(2), "..", "Basic dHI6", strings.Repeat("k", 256), "99999999999999999999", `"a,b",,`, "\xff")
	f.Fuzz(func(t *testing.T, route uint8, id, authorization, key, lastEvent, match, encoding string) {
		rt := z.routes[int(route)%len(z.routes)]
		r := httptest.NewRequestWithContext(t.Context(), rt.Method, "/", strings.NewReader(asks[rt.Operation].body))
		r.URL = &url.URL{Path: z.path(rt), RawQuery: strings.TrimPrefix(asks[rt.Operation].query, "?")}
		if id != "" && strings.Contains(rt.Pattern, "{") {
			r.URL.Path = wildcard.ReplaceAllLiteralString(rt.Pattern, id)
		}
		r.Header.Set("Authorization", authorization)
		if !strings.Contains(authorization, z.Key) { // else nothing comes as far as to the others
			r.Header.Set("X-Api-Key", z.Key)
			r.Header.Del("Authorization")
			if route%8 == 0 {
				r.Header.Set("X-Api-Key", authorization)
			}
		}
		r.Header.Set("Content-Type", asks[rt.Operation].contentType)
		r.Header.Set("Idempotency-Key", key)
		r.Header.Set("Last-Event-Id", lastEvent)
		r.Header.Set("If-None-Match", match)
		r.Header.Set("Accept-Encoding", encoding)
		r.Header.Set("X-Request-Id", key)
		r.Header.Set("X-Forwarded-For", match)
		z.serve(t, r)
	})
}
