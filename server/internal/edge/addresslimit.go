package edge

import (
	"net/http"
	"time"
)

// A client may make maxVisits requests in a minute to routes that count by address. Each process
// counts separately.
const (
	maxVisits   = 120
	visitWindow = time.Minute
)

// countingAddresses refuses with 429 the requests of an address that makes too many.
func (e *Edge) countingAddresses(next http.Handler) http.Handler {
	return e.answering(func(w http.ResponseWriter, r *http.Request) error {
		now := time.Now()
		if v := e.visits.Add(line(exchangeOf(r.Context()).client), visitWindow, now); v.Count > maxVisits {
			return RateLimited(v.End.Sub(now))
		}
		next.ServeHTTP(w, r)
		return nil
	})
}
