package egress_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
)

func TestSpecialRanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, first, last string }{
		{"unspecified", "0.0.0.0", "0.255.255.255"},
		{"private", "10.0.0.0", "10.255.255.255"},
		{"carrier-grade NAT", "100.64.0.0", "100.127.255.255"},
		{"loopback", "127.0.0.0", "127.255.255.255"},
		{"platform agent", "168.63.129.16", "168.63.129.16"},
		{"link-local", "169.254.0.0", "169.254.255.255"},
		{"private", "172.16.0.0", "172.31.255.255"},
		{"protocol assignment", "192.0.0.0", "192.0.0.255"},
		{"documentation", "192.0.2.0", "192.0.2.255"},
		{"6to4 relay", "192.88.99.0", "192.88.99.255"},
		{"private", "192.168.0.0", "192.168.255.255"},
		{"benchmark", "198.18.0.0", "198.19.255.255"},
		{"documentation", "198.51.100.0", "198.51.100.255"},
		{"documentation", "203.0.113.0", "203.0.113.255"},
		{"multicast", "224.0.0.0", "239.255.255.255"},
		{"reserved", "240.0.0.0", "255.255.255.254"},
		{"broadcast", "255.255.255.255", "255.255.255.255"},

		{"unspecified", "::", "::"},
		{"loopback", "::1", "::1"},
		{"IPv4-compatible", "::2", "::ffff:ffff"},
		{"loopback", "::ffff:127.0.0.0", "::ffff:127.255.255.255"},
		{"private", "::ffff:10.0.0.0", "::ffff:a00:1"},
		{"unassigned", "::ffff:0:127.0.0.1", "::ffff:0:ffff:ffff"}, // IPv4-translated, RFC 2765
		{"NAT64", "64:ff9b::", "64:ff9b::ffff:ffff"},
		{"NAT64", "64:ff9b::8.8.8.8", "64:ff9b::7f00:1"},
		{"NAT64", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"},
		{"discard", "100::", "100::ffff:ffff:ffff:ffff"},
		{"dummy", "100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"},
		{"protocol assignment", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"protocol assignment", "2001:0:7f00:1::", "2001:2::1"}, // Teredo, benchmark
		{"documentation", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"6to4", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"6to4", "2002:7f00:1::", "2002:808:808::1"},
		{"documentation", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"unassigned", "4000::", "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"segment routing", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"private", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"private", "fd00:ec2::254", "fd00:ec2::254"},
		{"link-local", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"site-local", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"multicast", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"scoped", "fe80::1%eth0", "2606:2800:220:1::1%eth0"},
	} {
		assert.Equal(t, c.name, egress.Special(netip.MustParseAddr(c.first)), c.first)
		assert.Equal(t, c.name, egress.Special(netip.MustParseAddr(c.last)), c.last)
	}
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, ip := range []string{ // the neighbors of the ranges above
		"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
		"191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0",
		"198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
		"::ffff:8.8.8.8", "2000::1", "2001:200::", "2001:db7:ffff::", "2001:db9::", "2001:4860:4860::8888",
		"2003::", "2606:4700::1111", "3ffe:ffff::", "3fff:1000::",
	} {
		assert.Empty(t, egress.Special(netip.MustParseAddr(ip)), ip)
	}
}

// BenchmarkJudge judges a resolved address, as each connection does before it is made.
func BenchmarkJudge(b *testing.B) {
	g, err := egress.New(egress.Config{Deny: []string{"127.0.0.1:5432", "127.0.0.1:8091"}})
	require.NoError(b, err)
	b.Cleanup(func() { assert.NoError(b, g.Close()) })
	for _, to := range []string{"93.184.216.34:443", "[2606:4700::1111]:443", "[::ffff:93.184.216.34]:443"} {
		b.Run(to, func(b *testing.B) {
			address := netip.MustParseAddrPort(to)
			b.ReportAllocs()
			for b.Loop() {
				if reason := g.Judge(address); reason != "" {
					b.Fatal(reason)
				}
			}
		})
	}
}
