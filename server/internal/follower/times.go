package follower

import (
	"context"
	"time"
)

// Times say how often Follows looks, and for how long. The zero value of a member means its usual value.
type Times struct {
	Step      time.Duration // how often the queue looks for what is due
	Every     time.Duration // the pause between two looks at a source
	FailAfter time.Duration // how long looks fail until a source counts as failing
	Wait      time.Duration // the pause after which an item is tried again that had to wait
	Quick     time.Duration // how long a look may take in the quick line
	Slow      time.Duration // how long a look may take in the slow line
	PerSecond int           // how many looks a process may begin in a second
	// Now is the clock; nil means the clock of the database.
	Now func(context.Context) (time.Time, error)
}
