package follows

import (
	"context"
	"time"
)

// Tuning is what only tests change; a zero value is the default.
type Tuning struct {
	Step      time.Duration // how often the queue looks for what is due
	Every     time.Duration // the pause between two looks at a source
	FailAfter time.Duration // how long looks fail until a source counts as failing
	Wait      time.Duration // the pause after which an item is tried again that had to wait
	Quick     time.Duration // how long a look may take in the quick line
	Slow      time.Duration // how long a look may take in the slow line
	PerSecond int           // how many looks a process may begin in a second
	// Now is the clock; nil: the clock of the database.
	Now func(context.Context) (time.Time, error)
}

type tuningKey struct{}

// WithTuning returns a context with which a server is made that follows by a tuning, for a
// service in a process of a test.
func WithTuning(ctx context.Context, t Tuning) context.Context {
	return context.WithValue(ctx, tuningKey{}, t)
}

// TuningOf returns the tuning of a context, if the context has one.
func TuningOf(ctx context.Context) (t Tuning, ok bool) {
	t, ok = ctx.Value(tuningKey{}).(Tuning)
	return t, ok
}
