package visitor

import (
	"context"
	"net/netip"
)

// Owner names the account or network for which the memory of a request is counted: the
// account of a user, and the wider network of everybody else. ctx is that of the request.
func Owner(ctx context.Context) string {
	if who := From(ctx); who.Kind == User {
		return "user " + who.Account
	}
	a := askingOf(ctx)
	if a == nil {
		return ""
	}
	return "network " + neighborhood(a.client)
}

// network is the smallest network that one household has: an IPv4 address, or a /64 of IPv6.
func network(a netip.Addr) string {
	const household = 64
	if a.Is6() {
		return netip.PrefixFrom(a, household).Masked().String()
	}
	return a.String()
}

// neighborhood is the wider network of an address, of which one customer may have all.
func neighborhood(a netip.Addr) string {
	const site, block = 48, 24
	switch {
	case !a.IsValid():
		return a.String()
	case a.Is6():
		return netip.PrefixFrom(a, site).Masked().String()
	}
	return netip.PrefixFrom(a, block).Masked().String()
}
