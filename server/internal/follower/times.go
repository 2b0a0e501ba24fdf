package follower

import (
	"context"
	"time"
)

// Times are how often Follows checks addresses, and how long a check takes. The zero value of a
// member means its usual value.
type Times struct {
	Step      time.Duration // how often the queue checks what is due
	Every     time.Duration // the pause between two checks of a source
	FailAfter time.Duration // how long checks must fail until a source counts as failing
	Wait      time.Duration // the pause before another attempt at an item that had to wait
	Quick     time.Duration // how long a check may take in the quick line
	Slow      time.Duration // how long a check may take in the slow line
	PerSecond int           // how many checks a process may begin in a second
	// Now is the clock; nil means the clock of the database.
	Now func(context.Context) (time.Time, error)
}
