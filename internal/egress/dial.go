package egress

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// dial connects to an address if it may be reached. What is judged is what is
// connected to: the judgment falls between the socket's making and its
// connection, for each address that the name has. turn chooses among the proxies
// by which connections leave.
func (g *Guard) dial(ctx context.Context, turn uint32, network, address string) (net.Conn, error) {
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, &Refusal{clip.Text(address), "network " + network}
	}
	t, err := parse(address)
	if err != nil {
		return nil, &Refusal{clip.Text(address), err.Error()}
	}
	allowed := g.allow[t.address]
	if reason := g.refuse(ctx, t, allowed); reason != "" {
		return nil, &Refusal{address, reason}
	}
	if len(g.upstreams) > 0 && !allowed {
		return g.dialUpstream(ctx, turn, t)
	}
	// Of several addresses of one name some may be refused; the dialer would
	// report the error of the first one, whichever that is.
	var refusal atomic.Pointer[Refusal]
	dialer := g.dialer
	dialer.ControlContext = func(ctx context.Context, network, resolved string, _ syscall.RawConn) error {
		reason := "unknown address " + resolved
		if to, err := netip.ParseAddrPort(resolved); err == nil {
			reason = g.judge(ctx, to, allowed)
		}
		if reason == "" {
			return nil
		}
		r := &Refusal{address, reason}
		refusal.CompareAndSwap(nil, r)
		return r
	}
	conn, err := dialer.DialContext(ctx, network, net.JoinHostPort(t.host, strconv.Itoa(int(t.port))))
	if r := refusal.Load(); err != nil && r != nil {
		return nil, r
	}
	return conn, err
}

// refuse gives the reason why a target is refused before its name is looked up.
func (g *Guard) refuse(ctx context.Context, t target, allowed bool) string {
	if !allowed && !slices.Contains(g.ports, t.port) {
		return "port " + strconv.Itoa(int(t.port))
	}
	for _, d := range g.deny {
		if d.port == t.port && d.host == t.host {
			return "the deployment's own address"
		}
	}
	if t.ip.IsValid() {
		return g.judge(ctx, netip.AddrPortFrom(t.ip, t.port), allowed)
	}
	return ""
}

// judge gives the reason why a resolved address must not be connected to.
func (g *Guard) judge(ctx context.Context, to netip.AddrPort, allowed bool) string {
	ip := to.Addr().Unmap()
	if !allowed {
		if name := g.special(to.Addr()); name != "" {
			return name + " address " + ip.String()
		}
	}
	for _, d := range g.deny {
		if d.port != to.Port() {
			continue
		}
		if has, err := d.has(ctx, g.dialer.Resolver, ip); err != nil {
			return "cannot be told from the deployment's own " + d.address
		} else if has {
			return "the deployment's own address " + d.address
		}
	}
	return ""
}
