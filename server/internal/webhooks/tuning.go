package webhooks

import (
	"context"
	"time"
)

// Tuning is what only tests change; a zero value is the default.
type Tuning struct {
	Timeout time.Duration // of an attempt
	Turn    time.Duration // how long an endpoint keeps its place before the others have their turns
	// Window is the time in which a host gets webhook.PerSecond requests for an account.
	Window time.Duration
	// Look is the longest time, by the clock of the machine, until a step looks again.
	Look time.Duration
	// Now is the clock; nil: the clock of the database.
	Now func(context.Context) (time.Time, error)
}

type tuningKey struct{}

// WithTuning returns a context with which a server is made that delivers by a tuning, for a
// service in a process of a test.
func WithTuning(ctx context.Context, t Tuning) context.Context {
	return context.WithValue(ctx, tuningKey{}, t)
}

// TuningOf returns the tuning of a context, if the context has one.
func TuningOf(ctx context.Context) (t Tuning, ok bool) {
	t, ok = ctx.Value(tuningKey{}).(Tuning)
	return t, ok
}
