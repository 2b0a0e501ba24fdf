package egress

import (
	"context"
	"net"
	"net/netip"
	"slices"
)

// Special names the special range of an address.
func Special(ip netip.Addr) string { return special(ip) }

// UseResolver makes a guard look names up elsewhere. Call it before the first use.
func (g *Guard) UseResolver(r *net.Resolver) { g.dialer.Resolver = r }

// Pretend makes one address a public one, and its port one of those that are open.
// Call it before the first use.
func (g *Guard) Pretend(public netip.AddrPort) {
	g.ports = append(slices.Clone(g.ports), public.Port())
	real := g.special
	g.special = func(ip netip.Addr) string {
		if ip == public.Addr() {
			return ""
		}
		return real(ip)
	}
}

// Judge judges an address as a connection to it would be, with nothing denied.
func (g *Guard) Judge(to netip.AddrPort) string {
	return g.judge(context.Background(), to, false)
}
