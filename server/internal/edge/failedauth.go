package edge

import (
	"net/netip"
	"time"
)

// The first maxFailures failed authentications of a client in a minute are answered with
// 401, and the others with 429 until the minute is over. Valid credentials always pass.
const (
	maxFailures   = 60
	failureWindow = time.Minute
	maxClients    = 100_000 // that are counted in a minute
)

// CountFailure counts a failed authentication of a client. If the client has failed too
// often, the result is how long the client must wait; otherwise it is 0.
func (e *Edge) CountFailure(client netip.Addr, now time.Time) time.Duration {
	w := e.failures.Add(line(client), failureWindow, now)
	if w.Count <= maxFailures {
		return 0
	}
	return w.End.Sub(now)
}

// line is the address under which a client is counted: all IPv6 addresses with the same
// first half count as one client.
func line(client netip.Addr) netip.Addr {
	if client.Is6() {
		return netip.PrefixFrom(client, 64).Masked().Addr()
	}
	return client
}
