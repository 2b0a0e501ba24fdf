package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// Health is the result of a test of an exit.
type Health struct {
	Status int    // of the answer; 0 means that no answer has come
	Err    error  // why no answer has come, without credentials; nil means that it has come
	Cure   string // what the operator can do about Err
}

// Address returns the proxy of the exit as "http://HOST:PORT", without credentials, or the prefix of
// the exit, or "" for direct connections.
func (e *Exit) Address() string {
	switch {
	case e.proxy != nil:
		return e.proxy.scheme + "://" + e.proxy.address
	case e.prefix.IsValid():
		return e.prefix.String()
	}
	return ""
}

// Test requests the head of a page by the exit, in the same way as a visit. It follows no redirect.
// The operator chooses the link, so Test does not check it.
func (e *Exit) Test(ctx context.Context, link string) Health {
	if e.prefix.IsValid() {
		if h := e.testOwn(ctx); h.Err != nil {
			return h
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, link, nil)
	if err != nil {
		return Health{Err: err, Cure: "correct the address of the platform"}
	}
	transport := newTransport(e.dialUnjudged)
	transport.DisableKeepAlives = true
	answer, err := transport.RoundTrip(r)
	var failure *ExitError
	if errors.As(err, &failure) {
		err = failure.Err // the caller knows the exit
	}
	if err != nil {
		return Health{Err: err, Cure: e.cure()}
	}
	_ = answer.Body.Close() // the answer to HEAD has no body
	return Health{Status: answer.StatusCode}
}

func (e *Exit) cure() string {
	switch {
	case e.proxy != nil:
		return "start the proxy, correct its address, user and password, or take the exit out"
	case e.prefix.IsValid():
		return "let the provider route the prefix to this machine, or answer for its addresses on the link (ndppd), or take the exit out"
	}
	return "let this machine reach the network, or name an exit"
}

// dialUnjudged connects to an address by the exit.
func (e *Exit) dialUnjudged(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout}
	switch {
	case e.prefix.IsValid():
		dialer.LocalAddr = &net.TCPAddr{IP: e.pick().AsSlice()}
		dialer.Control = func(_, _ string, raw syscall.RawConn) error { return freebind(raw) }
		return dialer.DialContext(ctx, "tcp6", address)
	case e.proxy == nil:
		return dialer.DialContext(ctx, network, address)
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if e.byName {
		return e.tunnel(ctx, []string{address})
	}
	t, err := parse(address)
	if err != nil {
		return nil, err
	}
	ips, err := lookup(ctx, net.DefaultResolver, t)
	if err != nil {
		return nil, err
	}
	addresses := make([]string, len(ips))
	for i, ip := range ips {
		addresses[i] = netip.AddrPortFrom(ip, t.port).String()
	}
	return e.tunnel(ctx, addresses)
}

// ownPatience limits the connection of this machine to itself.
const ownPatience = 2 * time.Second

// testOwn tests whether this machine takes the addresses of the exit's prefix as local addresses:
// the machine connects to itself on such an address. Otherwise answers from the network would be
// lost.
func (e *Exit) testOwn(ctx context.Context) Health {
	ctx, cancel := context.WithTimeout(ctx, ownPatience)
	defer cancel()
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error { return freebind(raw) }}
	own, err := config.Listen(ctx, "tcp6", netip.AddrPortFrom(e.pick(), 0).String())
	if errors.Is(err, syscall.EAFNOSUPPORT) || errors.Is(err, syscall.EADDRNOTAVAIL) {
		return Health{Err: fmt.Errorf("this machine binds no address of %s", e.prefix), Cure: "turn IPv6 on (sysctl net.ipv6.conf.all.disable_ipv6=0); if the system is not Linux, give an interface each address"}
	}
	if err != nil {
		return Health{Err: err, Cure: e.cure()}
	}
	defer func() { _ = own.Close() }() // nothing was sent
	c, err := new(net.Dialer).DialContext(ctx, "tcp6", own.Addr().String())
	if err != nil {
		return Health{Err: fmt.Errorf("the kernel does not take %s as its own", e.prefix), Cure: "ip -6 route add local " + e.prefix.String() + " dev lo"}
	}
	_ = c.Close() // nothing was sent
	return Health{}
}
