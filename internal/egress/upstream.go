package egress

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/proxy"
)

// upstream is one of the deployment's outgoing proxies.
type upstream struct {
	proxy.ContextDialer
	scheme  string
	address string // "host:port" of the proxy itself
}

// newUpstream reads the address of a proxy: http or https for a proxy with CONNECT (RFC 9110,
// 9.3.6), socks5 (RFC 1928).
func newUpstream(u *url.URL) (*upstream, error) {
	ports := map[string]string{"http": "80", "https": "443", "socks5": "1080"}
	port, known := ports[u.Scheme]
	switch {
	case !known:
		return nil, errors.New("not an http, https or socks5 URL")
	case u.Hostname() == "":
		return nil, errors.New("no host")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("more than scheme, credentials, host and port")
	}
	if u.Port() != "" {
		port = u.Port()
	}
	up := &upstream{scheme: u.Scheme, address: net.JoinHostPort(u.Hostname(), port)}
	direct := &net.Dialer{Timeout: dialTimeout}
	if u.Scheme != "socks5" {
		up.ContextDialer = &connector{direct: direct, address: up.address, url: u}
		return up, nil
	}
	var auth *proxy.Auth
	if u.User != nil {
		password, _ := u.User.Password()
		auth = &proxy.Auth{User: u.User.Username(), Password: password}
	}
	socks, err := proxy.SOCKS5("tcp", up.address, auth, direct)
	if err != nil {
		return nil, err
	}
	up.ContextDialer = socks.(proxy.ContextDialer)
	return up, nil
}

// dialProxy connects to a target through the proxy of an exit. It sends the proxy an address
// instead of a name, so that the proxy connects to the judged address. A proxy that requires
// names gets the name if none of its addresses is refused, because the proxy may choose any of
// them.
func (g *Guard) dialProxy(ctx context.Context, e *Exit, t target) (net.Conn, error) {
	if t.ip.IsValid() {
		return nil, &Refusal{t.address, "no name, for a proxy"}
	}
	if e.byName && !strings.Contains(strings.TrimSuffix(t.host, "."), ".") {
		return nil, &Refusal{t.address, "a name without a dot, which is another host for a proxy"}
	}
	public, refusal, err := g.resolve(ctx, t)
	switch {
	case err != nil:
		return nil, err
	case refusal != nil && (e.byName || len(public) == 0):
		return nil, refusal
	case e.byName:
		return e.tunnel(ctx, []string{t.hostPort()})
	}
	addresses := make([]string, len(public))
	for i, to := range public {
		addresses[i] = to.String()
	}
	return e.tunnel(ctx, addresses)
}

// resolve returns the permitted addresses of a target, and the refusal of the first forbidden one,
// or nil if none is refused.
func (g *Guard) resolve(ctx context.Context, t target) (public []netip.AddrPort, refusal *Refusal, err error) {
	ips, err := lookup(ctx, g.dialer.Resolver, t)
	if err != nil {
		return nil, nil, fmt.Errorf("egress: %w", err)
	}
	for _, ip := range ips {
		to := netip.AddrPortFrom(ip, t.port)
		if reason := g.judge(ctx, to, false); reason == "" {
			public = append(public, to)
		} else if refusal == nil {
			refusal = &Refusal{t.address, reason}
		}
	}
	return public, refusal, nil
}

// tunnel opens a tunnel to one of the addresses of a host. It gives each address an equal share of
// the remaining time.
func (e *Exit) tunnel(ctx context.Context, addresses []string) (net.Conn, error) {
	var first error
	for n, address := range addresses {
		try, cancel := share(ctx, len(addresses)-n)
		conn, err := e.proxy.DialContext(try, "tcp", address)
		cancel()
		if err == nil {
			return conn, nil
		}
		first = cmp.Or(first, err)
	}
	return nil, &ExitError{e.name, fmt.Errorf("proxy %s: %w", e.proxy.address, first)}
}

// connector opens tunnels through an HTTP proxy.
type connector struct {
	direct  *net.Dialer
	address string
	url     *url.URL
}

// DialContext connects to an address through the proxy.
func (c *connector) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.direct.DialContext(ctx, network, c.address)
	if err != nil {
		return nil, err
	}
	// The deadline and the end of ctx cut the connection even if the proxy hangs.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	tunnel, err := c.connect(ctx, conn, address)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close() // the current error is the one that matters
		return nil, err
	}
	return tunnel, nil
}

func (c *connector) connect(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	if c.url.Scheme == "https" {
		secure := tls.Client(conn, &tls.Config{ServerName: c.url.Hostname(), MinVersion: tls.VersionTLS12})
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		conn = secure
	}
	ask := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if user := c.url.User; user != nil {
		password, _ := user.Password()
		credentials := http.Request{Header: http.Header{}}
		credentials.SetBasicAuth(user.Username(), password)
		ask.Header.Set("Proxy-Authorization", credentials.Header.Get("Authorization"))
	}
	if err := ask.Write(conn); err != nil {
		return nil, err
	}
	head := bufio.NewReader(io.LimitReader(conn, maxHeader))
	answer, err := http.ReadResponse(head, ask) //nolint:bodyclose // what follows is the tunnel, and to close it would read it
	if err != nil {
		return nil, withoutAnswer(err)
	}
	if answer.StatusCode == http.StatusProxyAuthRequired {
		return nil, errors.New("answered 407: it wants another user and password")
	}
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New("answered " + strconv.Itoa(answer.StatusCode))
	}
	if head.Buffered() > 0 {
		return nil, errors.New("speaks before it is asked")
	}
	return conn, nil
}

// withoutAnswer returns an error of reading a proxy's answer. The parser's error repeats the answer,
// and the answer may repeat the password.
func withoutAnswer(err error) error {
	var broken net.Error
	if errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return errors.New("answers something other than HTTP")
}
