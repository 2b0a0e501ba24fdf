package edge

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// maxProxies is how many entries of X-Forwarded-For are read, from the end.
const maxProxies = 16

// ClientAddr returns the address of a request's client: the address of the peer, or the
// address that a trusted proxy names in X-Forwarded-For. Entries from peers that are not
// trusted are ignored. The result is not valid if the peer has no IP address, as with a
// socket in the file system.
//
// A server with [Config.TrustedProxies] uses ClientAddr for its clients. The embedding
// program can use ClientAddr for its own limits by address.
func ClientAddr(r *http.Request, trusted []netip.Prefix) netip.Addr {
	client := address(r.RemoteAddr)
	if !contain(trusted, client) {
		return client
	}
	// Each proxy appends the address of its peer, so the last entry is the nearest. Any
	// client may have written the entries before the first untrusted one.
	chain := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for range maxProxies {
		before, named, more := cutLast(chain, ",")
		hop := address(strings.TrimSpace(named))
		if !hop.IsValid() {
			break
		}
		client, chain = hop, before
		if !more || !contain(trusted, client) {
			break
		}
	}
	return client
}

func contain(all []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(all, func(p netip.Prefix) bool { return plainPrefix(p).Contains(a) })
}

// address reads an IP address, which may have brackets, a port and a zone. The result is not
// valid if s is not an IP address.
func address(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	a, _ := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")) // otherwise not valid
	return a.Unmap().WithZone("")
}

// cutLast is strings.Cut at the last sep. Without a sep, after is the whole s.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}

// plainPrefix is p in the form of client addresses: a prefix of IPv4 addresses in the form of
// IPv6 becomes a prefix of IPv4 addresses.
func plainPrefix(p netip.Prefix) netip.Prefix {
	const mapped = 96 // bits before an IPv4 address
	if p.Addr().Is4In6() && p.Bits() >= mapped {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
	}
	return p
}

// FromProxy reports whether the peer of a request is one of the trusted proxies.
func FromProxy(r *http.Request, trusted []netip.Prefix) bool {
	return contain(trusted, address(r.RemoteAddr))
}
