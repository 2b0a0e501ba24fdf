package egress_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
)

func TestProxy(t *testing.T) {
	t.Parallel()
	echo := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Query", r.URL.RawQuery)
		w.Header().Set("Content-Encoding", "identity")
		_, _ = fmt.Fprint(w, r.Method, " ", r.Host, " ", r.URL.Path, " ", string(body))
	}
	for _, s := range []*site{newSite(t, echo), newTLSSite(t, echo)} {
		g, log := newGuard(t, egress.Config{Allow: []string{s.at.String()}})
		p := open(t, g, "job", 0)
		client := behind(t, p, s)
		for range 3 { // on one connection
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/a%2Fb?x=1;y=%zz&a", strings.NewReader("body"))
			require.NoError(t, err)
			res, err := client.Do(r)
			require.NoError(t, err)
			body, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			assert.Equal(t, "POST "+s.at.String()+" /a/b body", string(body))
			assert.Equal(t, "x=1;y=%zz&a", res.Header.Get("X-Query"), "a query goes through as it is")
		}
		assert.Empty(t, log.take())
		assert.Empty(t, p.Refused())
	}
}

// raw sends bytes to the proxy and returns the answer.
func raw(t *testing.T, p *egress.Pass, request string) *http.Response {
	t.Helper()
	c, err := net.Dial("tcp", proxyOf(t, p).Host)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	password, _ := proxyOf(t, p).User.Password()
	auth := base64.StdEncoding.EncodeToString([]byte(proxyOf(t, p).User.Username() + ":" + password))
	_, err = io.WriteString(c, strings.ReplaceAll(request, "AUTH", "Proxy-Authorization: Basic "+auth))
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, res.Body.Close()) })
	return res
}

// What a program asks for reaches the site byte by byte, but for the fragment,
// which programs that speak to a proxy send along.
func TestTargetOfARequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.RequestURI) })
	g, _ := newGuard(t, egress.Config{Allow: []string{s.at.String()}})
	p := open(t, g, "job", 0)
	for sent, seen := range map[string]string{
		"/x.wav#t=10":             "/x.wav",
		"/x.wav#":                 "/x.wav",
		"/x.wav?a=b#t=10":         "/x.wav?a=b",
		"/#!/watch/1?v=2":         "/",
		"?a=b#c":                  "/?a=b",
		"":                        "/",
		"/?":                      "/?",
		"/a%2Fb|c^d.wav":          "/a%2Fb|c^d.wav",
		"/a%23b%3fc.wav":          "/a%23b%3fc.wav",
		"/\"<x>`{y}\\":            "/\"<x>`{y}\\",
		"/t\u00f6ne.wav":          "/t\u00f6ne.wav",
		"/a;b=c,d:e@f/~g!$&'()*+": "/a;b=c,d:e@f/~g!$&'()*+",
		"/a//b/../c/./d":          "/a//b/../c/./d",
		"//a/b":                   "//a/b",
		"/%5B1%5D[2].wav":         "/%5B1%5D[2].wav",
		"/http://b.test/?c=://d":  "/http://b.test/?c=://d",
	} {
		res := raw(t, p, "GET http://"+s.at.String()+sent+" HTTP/1.1\r\nHost: x\r\nAUTH\r\n\r\n")
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, res.StatusCode, sent)
		assert.Equal(t, seen, string(body), "of %q", sent)
	}
	before := s.requests.Load()
	for _, target := range []string{"/x", "?x", "#x"} {
		code := raw(t, p, "CONNECT "+s.at.String()+target+" HTTP/1.1\r\nHost: x\r\nAUTH\r\n\r\n").StatusCode
		assert.Contains(t, []int{http.StatusForbidden, http.StatusBadRequest}, code, target)
	}
	code := raw(t, p, "CONNECT me:you@"+s.at.String()+" HTTP/1.1\r\nHost: x\r\nAUTH\r\n\r\n").StatusCode
	assert.Equal(t, http.StatusForbidden, code)
	for _, link := range []string{"http://[fe80::1%25lo]/", "http://me#x@" + s.at.String() + "/", "http://" + s.at.String() + "#x@8.8.8.8/"} {
		code := raw(t, p, "GET "+link+" HTTP/1.1\r\nHost: x\r\nAUTH\r\n\r\n").StatusCode
		assert.Contains(t, []int{http.StatusForbidden, http.StatusBadRequest}, code, link)
	}
	assert.Equal(t, before, s.requests.Load())
}

func TestProxyHeadersStayHere(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 1)
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		w.Header().Set("Keep-Alive", "timeout=5")
		w.Header().Set("Proxy-Authenticate", "Basic")
	})
	g, _ := newGuard(t, egress.Config{Allow: []string{s.at.String()}})
	p := open(t, g, "job", 0)
	res := raw(t, p, fmt.Sprintf("GET http://%s/ HTTP/1.1\r\nHost: elsewhere.test\r\nAUTH\r\n"+
		"Connection: X-Hop, Upgrade\r\nUpgrade: websocket\r\nX-Hop: 1\r\nProxy-Connection: keep-alive\r\nTE: gzip\r\nX-End: 2\r\nUser-Agent: program\r\n\r\n", s.at))
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Empty(t, res.Header.Get("Keep-Alive"))
	assert.Empty(t, res.Header.Get("Proxy-Authenticate"))
	assert.Equal(t, http.Header{"X-End": {"2"}, "User-Agent": {"program"}}, <-seen)
}

func TestPassword(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	g, log := newGuard(t, egress.Config{Allow: []string{s.at.String()}})
	p, other := open(t, g, "job-1", 0), open(t, g, "job-2", 0)
	right, _ := proxyOf(t, p).User.Password()
	others, _ := proxyOf(t, other).User.Password()
	assert.GreaterOrEqual(t, len(right)*5, 128, "bits")
	assert.NotEqual(t, right, others)

	for name, c := range map[string]struct {
		user   *url.Userinfo
		job    string
		reason string
	}{
		"none":               {nil, `job=""`, "no password"},
		"empty":              {url.UserPassword("job-1", ""), "job=job-1", "wrong password"},
		"wrong":              {url.UserPassword("job-1", right+"x"), "job=job-1", "wrong password"},
		"another job's":      {url.UserPassword("job-1", others), "job=job-1", "wrong password"},
		"no such job":        {url.UserPassword("job-3", right), `job=""`, "wrong password"},
		"in the job's place": {url.UserPassword(right, "x"), `job=""`, "wrong password"},
	} {
		proxy := proxyOf(t, p)
		proxy.User = c.user
		status, _, err := get(t, via(t, proxy, nil), s.URL+"/?token=abc")
		require.NoError(t, err)
		assert.Equal(t, http.StatusProxyAuthRequired, status, name)
		_, _, err = get(t, via(t, proxy, nil), "https://"+s.at.String())
		require.ErrorContains(t, err, "Proxy Authentication Required", name)
		lines := log.take()
		require.Len(t, lines, 2, name)
		for _, line := range lines {
			assert.Contains(t, line, "level=WARN")
			assert.Contains(t, line, c.job, name)
			assert.Contains(t, line, "address="+s.at.String(), name)
			assert.Contains(t, line, c.reason, name)
			assert.NotContains(t, line, right)
			assert.NotContains(t, line, "token")
		}
	}
	assert.Zero(t, s.requests.Load())
	assert.Empty(t, p.Refused())

	status, _, err := get(t, behind(t, p, nil), s.URL)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)
}

func TestProxyRefusesWhatIsNotHTTP(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	g, log := newGuard(t, egress.Config{Allow: []string{s.at.String()}})
	p := open(t, g, "job", 0)
	var refused []string
	for link, address := range map[string]string{
		"ftp://8.8.8.8/pub/file":           "8.8.8.8:21",
		"ftp://" + s.at.String() + "/":     s.at.String(),
		"https://" + s.at.String() + "/":   s.at.String(), // by CONNECT only
		"gopher://site.test:70/":           "site.test:70",
		"http://me:you@" + s.at.String():   s.at.String(),
		"rtmp://[2606:4700::1111]:1935/a?": "[2606:4700::1111]:1935",
	} {
		res := raw(t, p, "GET "+link+" HTTP/1.1\r\nHost: x\r\nAUTH\r\n\r\n")
		assert.Equal(t, http.StatusForbidden, res.StatusCode, link)
		assert.Contains(t, res.Header.Get("Proxy-Status"), "http_request_denied")
		refused = append(refused, address)
		lines := log.take()
		require.Len(t, lines, 1, link)
		assert.Contains(t, lines[0], "address="+address)
		assert.NotContains(t, lines[0], "you@")
	}
	assert.Equal(t, refused, p.Refused(), "in order")

	for _, line := range []string{"GET / HTTP/1.1", "OPTIONS * HTTP/1.1"} {
		assert.Equal(t, http.StatusBadRequest, raw(t, p, line+"\r\nHost: x\r\nAUTH\r\n\r\n").StatusCode, line)
	}
	for _, address := range []string{"site.test", "site.test:", ":443", "site.test:99999", "a b:443"} {
		code := raw(t, p, "CONNECT "+address+" HTTP/1.1\r\nHost: x\r\nAUTH\r\n\r\n").StatusCode
		assert.Contains(t, []int{http.StatusForbidden, http.StatusBadRequest}, code, address)
	}
	huge := raw(t, p, "GET "+s.URL+" HTTP/1.1\r\nHost: x\r\nAUTH\r\nX-Huge: "+strings.Repeat("x", 300<<10)+"\r\n\r\n")
	assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, huge.StatusCode)
	assert.Zero(t, s.requests.Load())
}

func TestProxyTellsWhatCannotBeReached(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := closed.Addr().String()
	require.NoError(t, closed.Close())
	g, log := newGuard(t, egress.Config{Allow: []string{address}})
	p := open(t, g, "job", 0)
	status, _, err := get(t, behind(t, p, nil), "http://"+address)
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadGateway, status)
	_, _, err = get(t, behind(t, p, nil), "https://"+address)
	require.ErrorContains(t, err, "Bad Gateway")
	assert.Empty(t, log.take())
}

// TestTunnelEnds: each side sees the other's end, early bytes go through.
func TestTunnelEnds(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	received := make(chan string, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		all, _ := io.ReadAll(c) // until the program's half is closed
		received <- string(all)
		_, _ = io.WriteString(c, "answer")
		_ = c.Close()
		_ = l.Close()
	}()
	g, _ := newGuard(t, egress.Config{Allow: []string{l.Addr().String()}})
	proxy := proxyOf(t, open(t, g, "job", 0))
	c, err := net.Dial("tcp", proxy.Host)
	require.NoError(t, err)
	password, _ := proxy.User.Password()
	auth := base64.StdEncoding.EncodeToString([]byte("job:" + password))
	_, err = fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic %s\r\n\r\nearly", l.Addr(), auth)
	require.NoError(t, err)
	r := bufio.NewReader(c)
	head, err := r.ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "HTTP/1.1 200 Connection established\r\n", head)
	require.NoError(t, c.(*net.TCPConn).CloseWrite())
	all, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, "\r\nanswer", string(all))
	assert.Equal(t, "early", <-received)
	require.NoError(t, c.Close())
}
