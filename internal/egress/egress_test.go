package egress_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/transcriptkit/transcriptkit/internal/egress"
)

func TestMain(m *testing.M) {
	// An HTTP server gives a connection that it has refused half a second to take
	// note, longer than the check for leaks lasts.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// newGuard makes a guard and a log of what it refused.
func newGuard(t *testing.T, c egress.Config) (*egress.Guard, *logged) {
	t.Helper()
	l := &logged{}
	c.Log = slog.New(slog.NewTextHandler(l, nil))
	g, err := egress.New(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close()) })
	return g, l
}

func open(t *testing.T, g *egress.Guard, job string, maxBytes int64) *egress.Pass {
	t.Helper()
	p, err := g.Open(t.Context(), job, maxBytes)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Close()) })
	return p
}

// logged is what was logged.
type logged struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.data.Write(p)
}

// take returns the lines since the last call.
func (l *logged) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.data.Reset()
	return strings.FieldsFunc(l.data.String(), func(r rune) bool { return r == '\n' })
}

// site is a server on loopback that counts its requests.
type site struct {
	*httptest.Server
	requests atomic.Int64
	at       netip.AddrPort
}

// newSite serves a handler; nil: "hello".
func newSite(t *testing.T, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(s.count(handler))
	s.at = netip.MustParseAddrPort(s.Listener.Addr().String())
	t.Cleanup(s.Close)
	return s
}

func newTLSSite(t *testing.T, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewTLSServer(s.count(handler))
	s.at = netip.MustParseAddrPort(s.Listener.Addr().String())
	t.Cleanup(s.Close)
	return s
}

func (s *site) count(handler http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if handler == nil {
			_, _ = io.WriteString(w, "hello")
			return
		}
		handler(w, r)
	})
}

// port opens the site's port to the guard, but for its address.
func (s *site) port() netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr("93.184.216.34"), s.at.Port())
}

// get reads a link whole.
func get(t *testing.T, c *http.Client, link string) (int, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
	require.NoError(t, err)
	res, err := c.Do(r)
	if err != nil {
		return 0, "", err
	}
	body, err := io.ReadAll(res.Body)
	require.NoError(t, res.Body.Close())
	return res.StatusCode, string(body), err
}

// behind is a client that uses the proxy as a program does, and trusts the site.
func behind(t *testing.T, p *egress.Pass, s *site) *http.Client {
	t.Helper()
	return via(t, proxyOf(t, p), s)
}

func via(t *testing.T, proxy *url.URL, s *site) *http.Client {
	t.Helper()
	transport := &http.Transport{Proxy: http.ProxyURL(proxy)}
	if s != nil && s.TLS != nil {
		transport.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// proxyOf is the address that a pass tells programs of.
func proxyOf(t *testing.T, p *egress.Pass) *url.URL {
	t.Helper()
	for _, v := range p.Env() {
		if value, ok := strings.CutPrefix(v, "http_proxy="); ok {
			u, err := url.Parse(value)
			require.NoError(t, err)
			return u
		}
	}
	require.Fail(t, "no http_proxy")
	return nil
}

// names answers name queries: each name has a list of answers that are given in
// turn, the last one again and again.
type names struct {
	mu      sync.Mutex
	answers map[string][]string // addresses, space separated
	asked   map[string]int
}

func newNames(answers map[string][]string) *names {
	return &names{answers: answers, asked: make(map[string]int)}
}

func (n *names) count(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[name]
}

func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go n.serve(server)
		return client, nil
	}}
}

// serve answers one query, as over TCP: each message after its length.
func (n *names) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return
	}
	query := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(c, query); err != nil {
		return
	}
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return
	}
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	n.answer(&m)
	answer, err := m.AppendPack(make([]byte, 2))
	if err != nil {
		return
	}
	binary.BigEndian.PutUint16(answer, uint16(len(answer)-2))
	_, _ = c.Write(answer)
}

func (n *names) answer(m *dnsmessage.Message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	answers := n.answers[name]
	if len(answers) == 0 {
		m.RCode = dnsmessage.RCodeNameError
		return
	}
	for _, s := range strings.Fields(answers[min(n.asked[name], len(answers)-1)]) {
		ip := netip.MustParseAddr(s)
		h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case q.Type == dnsmessage.TypeA && ip.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: ip.As4()}})
		case q.Type == dnsmessage.TypeAAAA && ip.Is6():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
		}
	}
	if q.Type == dnsmessage.TypeA {
		n.asked[name]++
	}
}
