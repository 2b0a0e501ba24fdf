package egress_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
)

// admit opens a service to the program of a pass.
func admit(t *testing.T, p *egress.Pass, link string) (at string) {
	t.Helper()
	u, err := url.Parse(link)
	require.NoError(t, err)
	at, err = p.Admit(u)
	require.NoError(t, err)
	return at
}

func TestService(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Method+" "+r.Host+r.URL.RequestURI()+" "+string(body)+r.Header.Get("Proxy-Authorization"))
	})
	g, _ := newGuard(t, egress.Config{})
	p, other := open(t, g, "job", 0), open(t, g, "job", 0)
	at := admit(t, p, s.URL)
	direct := via(t, nil, nil)
	for way, client := range map[string]*http.Client{"directly": direct, "by the proxy": behind(t, p, s)} {
		status, body, err := get(t, client, at+"/ping?a=b")
		require.NoError(t, err, way)
		assert.Equal(t, http.StatusOK, status, way)
		assert.Equal(t, "GET "+s.Listener.Addr().String()+"/ping?a=b ", body, way)
	}
	res, err := direct.Post(at+"/get_pot", "application/json", strings.NewReader(`{"a":1}`))
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, "POST "+s.Listener.Addr().String()+`/get_pot {"a":1}`, string(body))

	// Its address is as closed as before, to every pass.
	before := s.requests.Load()
	for _, pass := range []*egress.Pass{p, other} {
		status, _, err := get(t, behind(t, pass, s), s.URL)
		require.NoError(t, err)
		assert.Equal(t, http.StatusForbidden, status)
		assert.Equal(t, []string{s.Listener.Addr().String()}, pass.Refused())
	}
	// A password of another pass, or a wrong one, opens nothing, and nor does another method.
	proxy := proxyOf(t, other)
	password, _ := proxy.User.Password()
	for _, link := range []string{"http://" + proxy.Host + "/" + password + "/ping", at + "x/ping", "http://" + proxy.Host + "//ping", "http://" + proxy.Host} {
		status, _, err := get(t, direct, link)
		require.NoError(t, err)
		assert.Equal(t, http.StatusProxyAuthRequired, status, link)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, at+"/ping", nil)
	require.NoError(t, err)
	res, err = direct.Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusMethodNotAllowed, res.StatusCode)

	// The address ends with its pass.
	require.NoError(t, p.Close())
	status, _, err := get(t, direct, at+"/ping")
	require.NoError(t, err)
	assert.Equal(t, http.StatusProxyAuthRequired, status)
	assert.Equal(t, before, s.requests.Load())
}

func TestServiceThatMisbehaves(t *testing.T) {
	t.Parallel()
	secret := newSite(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") })
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirects":
			http.Redirect(w, r, secret.URL, http.StatusFound)
		case "/fails":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			sending(w, r)
		}
	})
	g, log := newGuard(t, egress.Config{})
	p := open(t, g, "job", 0)
	at := admit(t, p, s.URL)
	for path, want := range map[string]int{"/redirects": http.StatusBadGateway, "/fails": http.StatusInternalServerError} {
		status, body, err := get(t, via(t, nil, nil), at+path)
		require.NoError(t, err)
		assert.Equal(t, want, status, path)
		assert.NotContains(t, body, "secret")
	}
	assert.Zero(t, secret.requests.Load())
	_, body, err := get(t, via(t, nil, nil), at+"/endless")
	require.NoError(t, err)
	assert.Len(t, body, 1<<20)
	s.Close()
	status, _, err := get(t, via(t, nil, nil), at+"/ping")
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadGateway, status)
	assert.NotContains(t, strings.Join(log.take(), ""), strings.TrimPrefix(at, "http://"), "the log shows no password")
}

func TestServiceHasAPlainAddress(t *testing.T) {
	t.Parallel()
	g, _ := newGuard(t, egress.Config{})
	for _, link := range []string{"ftp://h:1", "http://", "http://user@h:1", "http://h:1/path", "http://h:1?a", "http://h:1#f", "h:1"} {
		u, err := url.Parse(link)
		require.NoError(t, err)
		_, err = open(t, g, "job", 0).Admit(u)
		require.ErrorContains(t, err, "http://HOST:PORT", link)
	}
}
