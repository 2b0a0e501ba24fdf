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

// dial connects to an address if that is permitted. It judges the address that the socket
// really connects to: between the socket's creation and its connection, for each address of the
// name. turn chooses among the outgoing proxies.
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
	// If some of a name's addresses are refused, the dialer would report the error of the first
	// address, which may be another error.
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

// refuse returns the reason to refuse a target before its name is looked up.
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

// judge returns the reason to refuse a resolved address.
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
