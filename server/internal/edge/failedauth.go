package edge

import (
	"net/netip"
	"time"
)

// Failed authentications that a client is answered with 401; after that it is
// answered with 429 until the minute is over. Good credentials pass all the time.
const (
	maxFailures   = 60
	failureWindow = time.Minute
	maxClients    = 100_000 // told apart in a minute
)

// CountFailure counts a failed authentication of a client. It returns how long the client
// has to wait when it has failed too often, else 0.
func (e *Edge) CountFailure(client netip.Addr, now time.Time) time.Duration {
	if client.Is6() { // who has one of these has all that share its first half
		client = netip.PrefixFrom(client, 64).Masked().Addr()
	}
	w := e.failures.Add(client, failureWindow, now)
	if w.Count <= maxFailures {
		return 0
	}
	return w.End.Sub(now)
}
