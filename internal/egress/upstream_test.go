package egress_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
)

// targets are the addresses that a proxy was asked for.
type targets struct {
	mu  sync.Mutex
	all []string
}

func (a *targets) add(address string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, address)
}

func (a *targets) list() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string{}, a.all...)
}

// join copies both ways until one side has had enough.
func join(a, b net.Conn) {
	go func() {
		_, _ = io.Copy(a, b)
		_ = a.Close()
	}()
	_, _ = io.Copy(b, a)
	_ = b.Close()
}

// newTunnels serves an HTTP proxy that knows CONNECT and one password.
func newTunnels(t *testing.T, secure bool) (*site, *targets) {
	t.Helper()
	var asked targets
	handler := func(w http.ResponseWriter, r *http.Request) {
		shown := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
		if user, password, _ := shown.BasicAuth(); user != "me" || password != "se:cret" {
			refuse(w, http.StatusProxyAuthRequired)
			return
		}
		if r.Method != http.MethodConnect {
			refuse(w, http.StatusMethodNotAllowed)
			return
		}
		asked.add(r.Host)
		remote, err := new(net.Dialer).DialContext(t.Context(), "tcp", r.Host)
		if err != nil {
			refuse(w, http.StatusBadGateway)
			return
		}
		client, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
			join(client, remote)
		}
	}
	if secure {
		return newTLSSite(t, handler), &asked
	}
	return newSite(t, handler), &asked
}

// refuse answers and closes at once: the server would first wait for the client.
func refuse(w http.ResponseWriter, status int) {
	client, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		fmt.Fprintf(client, "HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n", status)
		_ = client.Close()
	}
}

// newSocks serves a proxy that knows RFC 1928 and no password.
func newSocks(t *testing.T) (*url.URL, *targets) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var asked targets
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { socks(client, &asked) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); running.Wait() })
	return &url.URL{Scheme: "socks5", Host: listener.Addr().String()}, &asked
}

func socks(client net.Conn, asked *targets) {
	defer client.Close()
	head := make([]byte, 2)
	if _, err := io.ReadFull(client, head); err != nil {
		return
	}
	if _, err := io.ReadFull(client, make([]byte, head[1])); err != nil {
		return
	}
	_, _ = client.Write([]byte{5, 0})
	request := make([]byte, 4)
	if _, err := io.ReadFull(client, request); err != nil {
		return
	}
	if request[3] != 1 {
		asked.add(fmt.Sprint("address of type ", request[3]))
		return
	}
	to := make([]byte, 6)
	if _, err := io.ReadFull(client, to); err != nil {
		return
	}
	address := netip.AddrPortFrom(netip.AddrFrom4([4]byte(to[:4])), binary.BigEndian.Uint16(to[4:])).String()
	asked.add(address)
	remote, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	_, _ = client.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	join(client, remote)
}

func TestConnectionsLeaveByTheProxy(t *testing.T) {
	t.Parallel()
	tunnels, tunneled := newTunnels(t, false)
	withPassword, err := url.Parse(tunnels.URL)
	require.NoError(t, err)
	withPassword.User = url.UserPassword("me", "se:cret")
	socks, relayed := newSocks(t)
	for _, test := range []struct {
		proxy *url.URL
		asked *targets
	}{{withPassword, tunneled}, {socks, relayed}} {
		public, secure := newSite(t, nil), newTLSSite(t, nil)
		allowed := newSite(t, nil)
		g, log := newGuard(t, egress.Config{Proxies: []*url.URL{test.proxy}, Allow: []string{allowed.at.String()}})
		g.UseResolver(newNames(map[string][]string{"public.test": {"127.0.0.1"}, "private.test": {"127.0.0.2"}}).resolver())
		g.Pretend(public.at)
		g.Pretend(secure.at)
		p := open(t, g, "job", 0)

		_, body, err := get(t, g.Client(), fmt.Sprintf("http://public.test:%d/", public.at.Port()))
		require.NoError(t, err)
		assert.Equal(t, "hello", body)
		_, body, err = get(t, behind(t, p, nil), fmt.Sprintf("http://public.test:%d/", public.at.Port()))
		require.NoError(t, err)
		assert.Equal(t, "hello", body)
		tunneled := behind(t, p, secure)
		tunneled.Transport.(*http.Transport).TLSClientConfig.ServerName = "example.com" // the site's certificate has it
		_, body, err = get(t, tunneled, fmt.Sprintf("https://public.test:%d/", secure.at.Port()))
		require.NoError(t, err)
		assert.Equal(t, "hello", body)
		want := []string{public.at.String(), public.at.String(), secure.at.String()}
		assert.Equal(t, want, test.asked.list(), "addresses, no names")

		_, _, err = get(t, g.Client(), allowed.URL)
		require.NoError(t, err, "allowed by name: without the proxy")
		for _, link := range []string{
			fmt.Sprintf("http://private.test:%d/", public.at.Port()), "http://10.0.0.1/", "http://93.184.216.34/", "http://[2606:4700::1111]/", "http://public.test:22/", "http://" + test.proxy.Host + "/",
		} {
			_, _, err = get(t, g.Client(), link)
			require.ErrorIs(t, err, egress.ErrRefused, link)
			assert.Len(t, log.take(), 1, link)
		}
		assert.Equal(t, want, test.asked.list(), "refused before the proxy is asked")
	}
}

func TestProxyThatFails(t *testing.T) {
	t.Parallel()
	tunnels, asked := newTunnels(t, false)
	secure, _ := newTunnels(t, true)
	hasty := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		client, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\nhello")
			_ = client.Close()
		}
	})
	echo := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		client, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(client, r.Header.Get("Proxy-Authorization")+"\r\n\r\n")
			_ = client.Close()
		}
	})
	for name, test := range map[string]struct{ proxy, says string }{
		"echoes":            {"http://me:se%3Acret@" + echo.at.String(), "answers something other than HTTP"},
		"no password":       {tunnels.URL, "answered 407"},
		"wrong password":    {"http://me:wrong@" + tunnels.at.String(), "answered 407"},
		"no proxy":          {"http://" + nobody, "connection refused"},
		"speaks first":      {"http://" + hasty.at.String(), "speaks before it is asked"},
		"unknown authority": {"https://me:se%3Acret@" + secure.at.String(), "certificate"},
		"no SOCKS":          {"socks5://" + nobody, "connection refused"},
	} {
		public := newSite(t, nil)
		proxy, err := url.Parse(test.proxy)
		require.NoError(t, err)
		g, log := newGuard(t, egress.Config{Proxies: []*url.URL{proxy}})
		g.UseResolver(newNames(map[string][]string{"public.test": {"127.0.0.1"}}).resolver())
		g.Pretend(public.at)
		_, _, err = get(t, g.Client(), fmt.Sprintf("http://public.test:%d/", public.at.Port()))
		require.ErrorContains(t, err, test.says, name)
		require.ErrorContains(t, err, proxy.Host, name)
		require.NotErrorIs(t, err, egress.ErrRefused, name)
		assert.NotContains(t, err.Error(), "cret", name)
		assert.NotContains(t, err.Error(), "bWU6c2U6Y3JldA==", name) // "me:se:cret" as it is sent
		assert.Empty(t, log.take(), name)
		assert.Zero(t, public.requests.Load(), "never around the proxy: %s", name)
	}
	assert.Empty(t, asked.list())
}

// Passes take the proxies in turn, keep to theirs, and go by another when it fails.
func TestProxiesInTurn(t *testing.T) {
	t.Parallel()
	first, asked := newSocks(t)
	second, alsoAsked := newSocks(t)
	public := newSite(t, nil)
	link := fmt.Sprintf("http://public.test:%d/", public.at.Port())
	g, _ := newGuard(t, egress.Config{Proxies: []*url.URL{first, second}})
	gone, _ := newGuard(t, egress.Config{Proxies: []*url.URL{{Scheme: "socks5", Host: nobody}, {Scheme: "http", Host: nobody}, second}})
	for _, guard := range []*egress.Guard{g, gone} {
		guard.UseResolver(newNames(map[string][]string{"public.test": {"127.0.0.2 127.0.0.1"}}).resolver())
		guard.Pretend(public.at)
	}
	for range 2 {
		p := open(t, g, "job", 0)
		for range 3 {
			c := behind(t, p, nil)
			_, _, err := get(t, c, link)
			require.NoError(t, err)
			c.CloseIdleConnections()
		}
	}
	assert.Len(t, asked.list(), 1, "the proxy keeps the connection of its pass")
	assert.Len(t, alsoAsked.list(), 1)
	for range 3 {
		_, _, err := get(t, behind(t, open(t, gone, "job", 0), nil), link)
		require.NoError(t, err)
	}
	assert.Len(t, alsoAsked.list(), 4)
}

func TestNewNamesTheProxyThatItRefuses(t *testing.T) {
	t.Parallel()
	for link, says := range map[string]string{
		"ftp://proxy.test":               "not an http, https or socks5 URL",
		"proxy.test":                     "not an http, https or socks5 URL",
		"http://":                        "no host",
		"http://u:secret@proxy.test/way": "more than",
		"http://u:secret@proxy.test:0":   "not a port",
	} {
		proxy, err := url.Parse(link)
		require.NoError(t, err)
		_, err = egress.New(egress.Config{Proxies: []*url.URL{proxy}})
		require.ErrorContains(t, err, says, link)
		assert.NotContains(t, err.Error(), "secret")
	}
	_, err := egress.New(egress.Config{Proxies: []*url.URL{{Scheme: "http", Host: "127.0.0.1:3128"}}, Allow: []string{"127.0.0.1:3128"}})
	require.ErrorContains(t, err, "the deployment's own")
}
