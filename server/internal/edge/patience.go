package edge

import "time"

// The limits for a slow client, for bodies that it sends and for answers that it reads. The service
// waits for a client for grace in total. For each further second, the client must transfer
// leastRate bytes. A client that has transferred many bytes may pause for mostPatience.
const (
	grace        = 30 * time.Second
	mostPatience = time.Minute
	leastRate    = 4 << 10 // bytes in a second
)

// patience is how long the service continues to wait for a client. Only the time in which
// the service waits counts: if the service itself is slow, the client loses no patience.
type patience time.Duration

// moved accounts for a wait in which the client has transferred n bytes.
func (p *patience) moved(n int, waited time.Duration) {
	earned := time.Duration(n) * time.Second / leastRate
	*p = min(*p-patience(waited)+patience(earned), patience(mostPatience))
}

// until returns the end of a wait that begins now.
func (p *patience) until(now time.Time) time.Time { return now.Add(time.Duration(*p)) }
