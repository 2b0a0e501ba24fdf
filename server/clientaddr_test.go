package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

func TestClientAddress(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::ffff:192.0.2.0/120"), netip.MustParsePrefix("2001:db8:ff::/48"),
	}
	s := start(t, func(c *server.Config) { c.TrustedProxies = trusted })
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
		assert.Equal(t, c.want, server.ClientOf(s.Server.Server, r).String(), "%s %.80q", c.peer, c.header)
	}
}

// Failures are counted by the client that the proxy names, and the log shows it.
func TestFailuresBehindAProxy(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	statuses := map[int]int{}
	for range 130 { // of which more than 60 fall into one minute
		a := s.get(t, unknownJob, as("nonsense"), header("X-Forwarded-For", "1.2.3.4, 198.51.100.1"))
		statuses[a.StatusCode]++
	}
	assert.GreaterOrEqual(t, statuses[http.StatusTooManyRequests], 10)
	a := s.get(t, unknownJob, as("nonsense"), header("X-Forwarded-For", "198.51.100.1, 198.51.100.2"))
	assert.Equal(t, http.StatusUnauthorized, a.StatusCode, "another client")
	assert.Contains(t, s.logLine(t, a), " client=198.51.100.2 ")

	s = start(t)
	limited := 0
	for i := range 130 {
		a = s.get(t, unknownJob, as("nonsense"), header("X-Forwarded-For", fmt.Sprint("198.51.100.", i)))
		if a.StatusCode == http.StatusTooManyRequests {
			limited++
		}
	}
	assert.GreaterOrEqual(t, limited, 10, "nobody is believed by default")
	assert.Contains(t, s.logLine(t, a), " client=127.0.0.1 ")
}

func TestTrustedProxiesAreChecked(t *testing.T) {
	t.Parallel()
	_, err := server.New(t.Context(), server.Config{
		Store:          start(t).Store,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), {}},
	})
	var wrong *server.ConfigError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, "TrustedProxies", wrong.Member)
	assert.ErrorContains(t, err, "number 1")
}
