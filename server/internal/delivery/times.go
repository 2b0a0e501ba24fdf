package delivery

import (
	"context"
	"time"
)

// Times are the times for sending deliveries. The zero value of a member means its usual
// value.
type Times struct {
	Timeout time.Duration // of an attempt
	Turn    time.Duration // how long an endpoint keeps its place before other endpoints have their turns
	// Window is the time in which a host gets webhook.PerSecond requests for an account.
	Window time.Duration
	// Look is the longest time, by the clock of the machine, until a step checks again.
	Look time.Duration
	// Now is the clock; nil means the clock of the database.
	Now func(context.Context) (time.Time, error)
}
