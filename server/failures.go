package server

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// Failed authentications that a client address is answered with 401; after that it
// is answered with 429 until the minute is over. Good credentials pass all the time.
const (
	maxFailures   = 60
	failureWindow = time.Minute
	maxAddresses  = 100_000 // remembered at once
)

// failureCounter counts failed authentications by client address. The zero
// value is ready.
type failureCounter struct {
	mu     sync.Mutex
	window time.Time
	count  map[string]int
}

// add counts a failure. It returns how long the client has to wait when it has
// failed too often, else 0.
func (f *failureCounter) add(addr string, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if window := now.Truncate(failureWindow); window != f.window || len(f.count) >= maxAddresses {
		f.window, f.count = window, map[string]int{}
	}
	f.count[addr]++
	if f.count[addr] <= maxFailures {
		return 0
	}
	return f.window.Add(failureWindow).Sub(now)
}

// clientAddr is the address of the peer, without its port.
func clientAddr(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
