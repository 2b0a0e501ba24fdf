package visitor

import (
	"context"
	"net/netip"
)

// Owner is by whom the request that ctx belongs to is counted for what it takes of the
// machine: a user by their account, everybody else by their network.
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

// network is whom an address belongs to: with IPv6, everybody has 2^64 of them.
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
