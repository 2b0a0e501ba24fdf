package visitor

import (
	"context"
	"net/netip"
)

// Owner returns the account or network to which the memory of a request is charged: the account
// of a user, otherwise the wider network of the client. ctx is the request's context.
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

// Client returns the address of the visitor who makes the request of ctx; not valid if there is
// none.
func Client(ctx context.Context) netip.Addr {
	if a := askingOf(ctx); a != nil {
		return a.client
	}
	return netip.Addr{}
}

// network returns the smallest network of one household: an IPv4 address, or a /64 of IPv6.
func network(a netip.Addr) string {
	const household = 64
	if a.Is6() {
		return netip.PrefixFrom(a, household).Masked().String()
	}
	return a.String()
}

// neighborhood returns the wider network of an address, which may belong to one customer.
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
