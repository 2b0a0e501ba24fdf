package server_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

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
