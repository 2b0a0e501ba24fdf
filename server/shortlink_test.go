package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// target is a server on loopback that counts its requests.
type target struct {
	address  string
	requests atomic.Int32
}

func newTarget(t *testing.T, h http.HandlerFunc) *target {
	t.Helper()
	tg := new(target)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tg.requests.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	tg.address = s.Listener.Addr().String()
	return tg
}

// shortener is a site of short links that lead where their query says: any number
// of hops, then to a link.
func shortener(t *testing.T) *target {
	t.Helper()
	return newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch hops := q.Get("hops"); {
		case q.Has("status"):
			w.WriteHeader(map[string]int{"200": 200, "404": 404, "410": 410, "403": 403, "500": 500}[q.Get("status")])
		case q.Has("hang"):
			<-r.Context().Done()
		case q.Has("loop"):
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		case len(hops) > 1:
			http.Redirect(w, r, "/next?hops="+hops[1:]+"&to="+q.Get("to"), http.StatusMovedPermanently)
		default:
			w.Header().Set("Location", q.Get("to"))
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	})
}

// withShortLinks starts a service that takes the links of a shortener for short
// ones.
func withShortLinks(t *testing.T, short *target, changes ...func(*server.Config)) *service {
	t.Helper()
	return start(t, append(changes, func(c *server.Config) {
		c.Egress.Allow = []string{short.address}
		c.Sites = sites(t, map[transcript.Platform]site.Site{transcript.MicroblogSite: {
			Hosts: []string{"blog.example"}, ShortHosts: []string{short.address}, Canonical: "https://blog.example/i/status/{id}",
		}})
	})...)
}

func TestShortLinks(t *testing.T) {
	t.Parallel()
	short := shortener(t)
	private := newTarget(t, func(http.ResponseWriter, *http.Request) {})
	s := withShortLinks(t, short)
	const end = "https://video.example/watch%3Fv=" + video
	for name, c := range map[string]struct {
		link   string
		status int
		code   string
		hops   int32
	}{
		"one hop":                  {"/a?hops=1&to=" + end, 200, "", 1},
		"three hops":               {"/a?hops=111&to=" + end, 200, "", 3},
		"four hops":                {"/a?hops=1111&to=" + end, 422, "UNSUPPORTED_PLATFORM", 3},
		"over and over":            {"/a?loop", 422, "UNSUPPORTED_PLATFORM", 3},
		"another platform's":       {"/a?hops=1&to=https://photos.example/p/CxYz012345a", 200, "", 1},
		"to no content":            {"/a?hops=1&to=https://video.example/", 422, "INVALID_VIDEO", 1},
		"to a page of its own":     {"/a?status=200", 422, "UNSUPPORTED_PLATFORM", 1},
		"nowhere":                  {"/a?hops=1&to=", 422, "UNSUPPORTED_PLATFORM", 1},
		"unknown":                  {"/a?status=404", 404, "UNAVAILABLE", 1},
		"gone":                     {"/a?status=410", 404, "UNAVAILABLE", 1},
		"refused":                  {"/a?status=403", 502, "UPSTREAM_FAILED", 1},
		"broken":                   {"/a?status=500", 502, "UPSTREAM_FAILED", 1},
		"to a private address":     {"/a?hops=1&to=http://" + private.address + "/", 404, "UNAVAILABLE", 1},
		"to a private one, later":  {"/a?hops=11&to=http://" + private.address + "/", 404, "UNAVAILABLE", 2},
		"to a decimal address":     {"/a?hops=1&to=http://2130706433/", 404, "UNAVAILABLE", 1},
		"to an octal address":      {"/a?hops=1&to=http://0177.0.0.1/", 404, "UNAVAILABLE", 1},
		"to an IPv6 address":       {"/a?hops=1&to=http://[::1]:1/", 404, "UNAVAILABLE", 1},
		"to a mapped IPv6 address": {"/a?hops=1&to=http://[::ffff:127.0.0.1]/", 404, "UNAVAILABLE", 1},
		"to a carrier's address":   {"/a?hops=1&to=http://100.64.0.1/", 404, "UNAVAILABLE", 1},
		"to a service's port":      {"/a?hops=1&to=http://192.0.2.1:22/", 404, "UNAVAILABLE", 1},
		"to a file":                {"/a?hops=1&to=file:///etc/passwd", 422, "UNSUPPORTED_PLATFORM", 1},
		"to ftp":                   {"/a?hops=1&to=ftp://127.0.0.1/", 422, "UNSUPPORTED_PLATFORM", 1},
		"to a user name":           {"/a?hops=1&to=http://a:b@video.example/watch%3Fv=" + video, 422, "UNSUPPORTED_PLATFORM", 1},
	} {
		before := short.requests.Load()
		a := s.link(t, "http://"+short.address+c.link)
		require.Equal(t, c.status, a.StatusCode, "%s: %s", name, a.body)
		if c.code != "" {
			assert.Equal(t, c.code, a.failure(t)["code"], name)
			assert.NotContains(t, a.body, private.address, "%s: nothing is told of what is inside", name)
		}
		assert.Equal(t, c.hops, short.requests.Load()-before, name)
	}
	assert.Zero(t, private.requests.Load(), "nothing private is reached")
	assert.Equal(t, 2, strings.Count(s.log.String(), "address="+private.address), "a log line for each refusal")

	a := s.info(t, "http://"+short.address+"/a?hops=1&to="+end)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Equal(t, video, a.object(t)["externalId"])
}

// A short host that is itself private is as private as any.
func TestShortHostThatIsPrivate(t *testing.T) {
	t.Parallel()
	short := shortener(t)
	s := withShortLinks(t, short)
	strict := start(t, func(c *server.Config) {
		c.Sites = sites(t, map[transcript.Platform]site.Site{transcript.MicroblogSite: {
			Hosts: []string{"blog.example"}, ShortHosts: []string{short.address}, Canonical: "https://blog.example/i/status/{id}",
		}})
	})
	link := "http://" + short.address + "/a?hops=1&to=https://video.example/shorts/" + video
	assert.Equal(t, http.StatusOK, s.link(t, link).StatusCode)
	require.EqualValues(t, 1, short.requests.Load())
	a := strict.link(t, link)
	require.Equal(t, http.StatusNotFound, a.StatusCode, a.body)
	assert.Equal(t, "UNAVAILABLE", a.failure(t)["code"])
	assert.EqualValues(t, 1, short.requests.Load())
}

// All hops together have 5 s.
func TestShortLinkThatHangs(t *testing.T) {
	t.Parallel()
	short := shortener(t)
	var bounds []time.Duration // which are over soon
	s := withShortLinks(t, short, func(c *server.Config) {
		server.SettingsOf(c).Timeout = func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
			bounds = append(bounds, d)
			return context.WithTimeout(ctx, 100*time.Millisecond)
		}
	})
	a := s.link(t, "http://"+short.address+"/a?hang")
	require.Equal(t, http.StatusBadGateway, a.StatusCode, a.body)
	assert.Equal(t, "UPSTREAM_FAILED", a.failure(t)["code"])
	assert.Equal(t, []time.Duration{5 * time.Second}, bounds)
}

// A short link is followed once for each Idempotency-Key, and not to say again what
// was said.
func TestShortLinkIsNotFollowedAgain(t *testing.T) {
	t.Parallel()
	short := shortener(t)
	// A busy machine may take longer than the service follows a link.
	s := withShortLinks(t, short, func(c *server.Config) { server.SettingsOf(c).Timeout = patiently })
	key := header("Idempotency-Key", "k")
	body := `{"url":"http://` + short.address + `/a?hops=1&to=https://video.example/watch%3Fv=` + video + `","waitMs":0`
	first := s.postJSON(t, body+"}", key)
	require.Equal(t, http.StatusAccepted, first.StatusCode, first.body)
	again := s.postJSON(t, body+"}", key)
	require.Equal(t, http.StatusAccepted, again.StatusCode, again.body)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	assert.Equal(t, first.object(t)["jobId"], again.object(t)["jobId"])
	assert.Equal(t, "IDEMPOTENCY_CONFLICT", s.postJSON(t, body+`,"language":"de"}`, key).failure(t)["code"])
	assert.EqualValues(t, 1, short.requests.Load())
	// One that leads nowhere frees its key.
	lost := `{"url":"http://` + short.address + `/a?status=500"}`
	other := header("Idempotency-Key", "other")
	for range 2 {
		assert.Equal(t, "UPSTREAM_FAILED", s.postJSON(t, lost, other).failure(t)["code"])
	}
	assert.EqualValues(t, 3, short.requests.Load())
}
