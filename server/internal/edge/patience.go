package edge

import "time"

// The bounds for a slow client, for bodies that it sends and for answers that it reads. The service
// waits for a client grace in all; each further second costs the client leastRate bytes. A client
// that has moved many bytes may stand still for mostPatience.
const (
	grace        = 30 * time.Second
	mostPatience = time.Minute
	leastRate    = 4 << 10 // bytes in a second
)

// patience is how long the service still waits for a client. Only the time counts in which the
// service waits: while the service itself is slow, no patience is lost.
type patience time.Duration

// moved accounts for a wait in which the client has moved n bytes.
func (p *patience) moved(n int, waited time.Duration) {
	earned := time.Duration(n) * time.Second / leastRate
	*p = min(*p-patience(waited)+patience(earned), patience(mostPatience))
}

// until is the end of a wait that begins now.
func (p *patience) until(now time.Time) time.Time { return now.Add(time.Duration(*p)) }
