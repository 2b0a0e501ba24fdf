package edge_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

func TestClientAddress(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::ffff:192.0.2.0/120"), netip.MustParsePrefix("2001:db8:ff::/48"),
	}
	for _, c := range []struct {
		peer   string
		header []string // its lines, in order
		want   string
	}{
		{"203.0.113.9:1234", nil, "203.0.113.9"},
		{"203.0.113.9:1234", []string{"198.51.100.1"}, "203.0.113.9"}, // may say what it likes
		{"203.0.113.9:1234", []string{"10.0.0.1"}, "203.0.113.9"},
		{"10.0.0.1:1234", nil, "10.0.0.1"},
		{"10.0.0.1:1234", []string{""}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"1.2.3.4, 198.51.100.1"}, "198.51.100.1"}, // the first it was told by the client
		{"10.0.0.1:1234", []string{"1.2.3.4", "198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1, 10.2.0.1,192.0.2.7"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1,10.2.0.1", "192.0.2.7"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"10.3.0.1, 10.2.0.1"}, "10.3.0.1"}, // a client within
		{"10.0.0.1:1234", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1, unknown, 10.2.0.1"}, "10.2.0.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"[2001:db8::7]:4711"}, "2001:db8::7"},
		{"10.0.0.1:1234", []string{"[2001:db8::7]"}, "2001:db8::7"},
		{"10.0.0.1:1234", []string{"2001:db8::7%eth0"}, "2001:db8::7"},
		{"10.0.0.1:1234", []string{"::ffff:198.51.100.1, 2001:db8:ff::1"}, "198.51.100.1"},
		{"[::ffff:10.0.0.1]:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"[2001:db8:ff::1%eth0]:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1", []string{"198.51.100.1"}, "198.51.100.1"}, // as some middleware writes it
		{"@", []string{"198.51.100.1"}, "invalid IP"},          // a socket in the file system
		{"", nil, "invalid IP"}, // a handler's own test
		{"10.0.0.1:1234", []string{"198.51.100.256"}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1" + strings.Repeat(",10.0.0.2", 15)}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1" + strings.Repeat(",10.0.0.2", 5000)}, "10.0.0.2"},
		{"10.0.0.1:1234", []string{strings.Repeat("x", 60_000)}, "10.0.0.1"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		for _, line := range c.header {
			r.Header.Add("X-Forwarded-For", line)
		}
		assert.Equal(t, c.want, edge.ClientAddr(r, trusted).String(), "%s %.80q", c.peer, c.header)
	}
}
