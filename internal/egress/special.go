package egress

import "net/netip"

// specialFunc returns the name of the range that makes an address special, or "" for a public
// address.
type specialFunc func(netip.Addr) string

type namedPrefix struct {
	netip.Prefix
	name string
}

// special names the special range of an address. It returns "" for the public address of one
// server. It follows the IANA special-purpose address registries (RFC 6890 and its updates). It
// refuses ranges as a whole even if the registry lists exceptions inside them, and ranges that
// embed an IPv4 address, because a gateway may lead to that address.
func special(ip netip.Addr) string {
	if ip.Zone() != "" {
		return "scoped"
	}
	ip = ip.Unmap()
	ranges := special6
	if ip.Is4() {
		ranges = special4
	}
	for i := range ranges {
		if ranges[i].Contains(ip) {
			return ranges[i].name
		}
	}
	if ip.Is6() && !global6.Contains(ip) {
		return "unassigned"
	}
	return ""
}

var special4 = prefixes(
	"0.0.0.0/8", "unspecified",
	"10.0.0.0/8", "private",
	"100.64.0.0/10", "carrier-grade NAT",
	"127.0.0.0/8", "loopback",
	// The hosting platform Azure uses this address: public by number, but routed to the host
	// machine.
	"168.63.129.16/32", "platform agent",
	"169.254.0.0/16", "link-local",
	"172.16.0.0/12", "private",
	"192.0.0.0/24", "protocol assignment",
	"192.0.2.0/24", "documentation",
	"192.88.99.0/24", "6to4 relay",
	"192.168.0.0/16", "private",
	"198.18.0.0/15", "benchmark",
	"198.51.100.0/24", "documentation",
	"203.0.113.0/24", "documentation",
	"224.0.0.0/4", "multicast",
	"255.255.255.255/32", "broadcast",
	"240.0.0.0/4", "reserved",
)

// global6 is the range that has been assigned as global unicast. New assignments must be
// reviewed first.
var global6 = netip.MustParsePrefix("2000::/3")

// special6 are the special ranges inside global6, and named ranges outside of it.
var special6 = prefixes(
	"2001::/23", "protocol assignment", // with Teredo, ORCHID, benchmarks
	"2001:db8::/32", "documentation",
	"2002::/16", "6to4",
	"3fff::/20", "documentation",
	"::/128", "unspecified",
	"::1/128", "loopback",
	"::/96", "IPv4-compatible",
	"64:ff9b::/96", "NAT64",
	"64:ff9b:1::/48", "NAT64",
	"100::/64", "discard",
	"100:0:0:1::/64", "dummy",
	"5f00::/16", "segment routing",
	"fc00::/7", "private",
	"fe80::/10", "link-local",
	"fec0::/10", "site-local",
	"ff00::/8", "multicast",
)

// prefixes makes a table from alternating ranges and names.
func prefixes(pairs ...string) []namedPrefix {
	table := make([]namedPrefix, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		table = append(table, namedPrefix{netip.MustParsePrefix(pairs[i]), pairs[i+1]})
	}
	return table
}
