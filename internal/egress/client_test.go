package egress_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
)

// redirectTo answers every request with a redirect.
func redirectTo(link func(*http.Request) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", link(r))
		w.WriteHeader(http.StatusFound)
	}
}

func TestRedirectsAreJudged(t *testing.T) {
	t.Parallel()
	target := newSite(t, nil)
	for _, to := range []string{
		"http://127.0.0.1:%d/", "http://localhost:%d/", "http://2130706433:%d/", "http://[::ffff:127.0.0.1]:%d/", "//private.test:%d/",
		"http://user:password@127.0.0.1:%d/", "ftp://127.0.0.1:%d/", "file:///etc/passwd?%d", "gopher://127.0.0.1:%d/", "data:text/plain,%d",
	} {
		location := fmt.Sprintf(to, target.at.Port())
		entry := newSite(t, redirectTo(func(*http.Request) string { return location }))
		g, log := newGuard(t, egress.Config{Allow: []string{entry.at.String()}})
		g.UseResolver(newNames(privateNames).resolver())
		g.Pretend(target.port())

		_, _, err := get(t, g.Client(), entry.URL)
		require.ErrorIs(t, err, egress.ErrRefused, location)
		lines := log.take()
		require.Len(t, lines, 1, location)
		assert.NotContains(t, lines[0], "password@")
		assert.EqualValues(t, 1, entry.requests.Load())

		// A program behind the proxy follows for itself, with a request that is judged.
		p := open(t, g, "job", 0)
		program := behind(t, p, nil)
		status, _, err := get(t, program, entry.URL)
		require.NoError(t, err)
		assert.Equal(t, http.StatusFound, status, "the proxy follows no redirect")
		assert.EqualValues(t, 2, entry.requests.Load())
		assert.Empty(t, p.Refused())
	}
	assert.Zero(t, target.requests.Load())
}

func TestRedirectsEnd(t *testing.T) {
	t.Parallel()
	endless := newSite(t, redirectTo(func(r *http.Request) string { return r.URL.Path + "x" }))
	g, _ := newGuard(t, egress.Config{Allow: []string{endless.at.String()}})
	_, _, err := get(t, g.Client(), endless.URL+"/")
	require.ErrorContains(t, err, "too many redirects")
	assert.EqualValues(t, 6, endless.requests.Load())

	ends := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if len(r.URL.Path) <= 5 {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, r.URL.Path)
	})
	g, _ = newGuard(t, egress.Config{Allow: []string{ends.at.String()}})
	_, body, err := get(t, g.Client(), ends.URL+"/")
	require.NoError(t, err)
	assert.Equal(t, "/xxxxx", body)
}

// TestOwnRedirectPolicy: a caller that counts hops by itself is guarded as well.
func TestOwnRedirectPolicy(t *testing.T) {
	t.Parallel()
	target := newSite(t, nil)
	entry := newSite(t, redirectTo(func(*http.Request) string { return target.URL }))
	g, _ := newGuard(t, egress.Config{Allow: []string{entry.at.String()}})
	g.Pretend(target.port())
	client := *g.Client()
	hops := 0
	client.CheckRedirect = func(*http.Request, []*http.Request) error { hops++; return nil }
	_, _, err := get(t, &client, entry.URL)
	require.ErrorIs(t, err, egress.ErrRefused)
	assert.Equal(t, 1, hops)
	assert.Zero(t, target.requests.Load())
}

func TestClientTakesNoProxyFromTheEnvironment(t *testing.T) {
	proxy := newSite(t, nil)
	for _, key := range []string{"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"} {
		t.Setenv(key, proxy.URL)
	}
	g, _ := newGuard(t, egress.Config{})
	g.UseResolver(newNames(nil).resolver())
	_, _, err := get(t, g.Client(), "http://absent.test/")
	require.ErrorContains(t, err, "no such host")
	assert.Zero(t, proxy.requests.Load())
}

func TestAnswerHeadsAreBounded(t *testing.T) {
	t.Parallel()
	talkative := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 64 {
			w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 8<<10))
		}
	})
	g, _ := newGuard(t, egress.Config{Allow: []string{talkative.at.String()}})
	_, _, err := get(t, g.Client(), talkative.URL)
	require.ErrorContains(t, err, "headers exceeded")
	status, _, err := get(t, behind(t, open(t, g, "job", 0), nil), talkative.URL)
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadGateway, status)
}

func TestClosedGuard(t *testing.T) {
	t.Parallel()
	reached, hold := make(chan struct{}), make(chan struct{})
	site := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		close(reached)
		<-hold
	})
	t.Cleanup(func() { close(hold) })
	g, err := egress.New(egress.Config{Allow: []string{site.at.String()}})
	require.NoError(t, err)
	p := open(t, g, "job", 0)
	res, err := g.Client().Get(site.URL)
	require.NoError(t, err)
	<-reached

	require.NoError(t, g.Close())
	require.NoError(t, g.Close())
	_, err = io.ReadAll(res.Body)
	require.Error(t, err, "an open connection is cut")
	require.NoError(t, res.Body.Close())
	_, _, err = get(t, g.Client(), site.URL)
	require.ErrorIs(t, err, egress.ErrClosed)
	_, err = g.Open(t.Context(), "job", 0)
	require.ErrorIs(t, err, egress.ErrClosed)
	<-p.Context().Done()
	require.ErrorIs(t, context.Cause(p.Context()), egress.ErrClosed)
	_, _, err = get(t, behind(t, p, nil), site.URL)
	require.ErrorContains(t, err, "connection refused")
}

// TestLinksAreJudged before anybody follows them, as far as that can be told
// without a look-up.
func TestLinksAreJudged(t *testing.T) {
	t.Parallel()
	g, log := newGuard(t, egress.Config{Allow: []string{"127.0.0.1:9099"}, Deny: []string{"own.test:443"}})
	dns := newNames(privateNames)
	g.UseResolver(dns.resolver())
	for _, link := range []string{"http://site.test/", "https://site.test:443/x?y", "http://127.0.0.1:9099/", "http://8.8.8.8/", "HTTP://private.test"} {
		require.NoError(t, g.JudgeLink(t.Context(), "job-9", link), link)
	}
	assert.Empty(t, log.take())
	for link, reason := range map[string]string{
		"http://127.0.0.1/": "loopback", "http://[::1]/": "loopback", "http://2130706433/": "not a host name",
		"http://127.0.0.1:9098/": "port 9098", "ftp://site.test/": "scheme ftp", "file:///etc/passwd": "scheme file",
		"rtmp://site.test/": "scheme rtmp", "http://user:secret@site.test/": "credentials", "https://own.test/": "own address",
		"http://site.test:22/": "port 22", "//site.test/": "scheme", "http://[": "not a link", "": "scheme",
	} {
		err := g.JudgeLink(t.Context(), "job-9", link)
		var refusal *egress.Refusal
		require.ErrorAs(t, err, &refusal, link)
		assert.Contains(t, refusal.Reason, reason, link)
		lines := log.take()
		require.Len(t, lines, 1, link)
		assert.Contains(t, lines[0], "job=job-9")
		assert.NotContains(t, lines[0], "secret")
	}
	assert.Zero(t, dns.count("private.test"))
}
