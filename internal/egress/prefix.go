package egress

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// fitPrefix reports whether a prefix may be an exit.
func fitPrefix(p netip.Prefix) bool {
	return p.Addr().Is6() && !p.Addr().Is4In6() && p.Bits() >= 32 && !p.Addr().IsMulticast()
}

// pick returns an address of the exit's prefix at random; the zero address if the exit has no
// prefix. The first address of a prefix is left out, because routers answer on it.
func (e *Exit) pick() netip.Addr {
	first := e.prefix.Addr()
	if !e.prefix.IsValid() || e.prefix.IsSingleIP() {
		return first
	}
	for {
		ip, dice := first.As16(), [16]byte{}
		_, _ = rand.Read(dice[:]) // it never fails
		for bit := e.prefix.Bits(); bit < 128; bit++ {
			ip[bit/8] |= dice[bit/8] & (0x80 >> (bit % 8))
		}
		if at := netip.AddrFrom16(ip); at != first {
			return at
		}
	}
}

// dialFrom connects to a target from an address of the exit's prefix.
func (g *Guard) dialFrom(ctx context.Context, e *Exit, from netip.Addr, t target) (net.Conn, error) {
	public, refusal, err := g.resolve(ctx, t)
	if err != nil {
		return nil, err
	}
	public = slices.DeleteFunc(public, func(to netip.AddrPort) bool { return !to.Addr().Is6() })
	if len(public) == 0 && refusal != nil {
		return nil, refusal
	}
	dialer := g.dialer
	dialer.LocalAddr = &net.TCPAddr{IP: from.AsSlice()}
	first := errNoIPv6
	for n, to := range public {
		try, cancel := share(ctx, len(public)-n)
		conn, err := g.connect(try, dialer, "tcp6", t, to.String(), false)
		cancel()
		if err == nil || errors.Is(err, ErrRefused) || errors.Is(err, syscall.ECONNREFUSED) { // the last error, because the target has answered
			return conn, err
		}
		if n == 0 {
			first = err
		}
	}
	return nil, &ExitError{e.name, fmt.Errorf("from %s: %w", e.prefix, first)}
}

var errNoIPv6 = errors.New("the host has no IPv6 address")
