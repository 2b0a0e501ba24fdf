package attempt

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// MaxAttempts is the largest number of attempts of a step.
	MaxAttempts = 4
	// longestAsked is the longest pause that a recognizer may ask for with RetryAfter.
	longestAsked = 10 * time.Minute
	// longestLook is the longest pause between two checks of a full disk, or of a database
	// or recognizer that is not available.
	longestLook = 5 * time.Minute
)

// Pauses are the pauses between attempts.
type Pauses struct {
	After [MaxAttempts - 1]time.Duration // after the first, second and third failed attempt
	// LastWait is how long a step waits in total for a platform that blocks, for space on a
	// disk, for the database, or for the recognizer.
	LastWait time.Duration
}

// Default returns the pauses of every service.
func Default() Pauses {
	return Pauses{
		After:    [...]time.Duration{2 * time.Second, 8 * time.Second, 30 * time.Second},
		LastWait: 6 * time.Hour,
	}
}

// Transient reports whether another attempt may succeed after an error with the code. A
// recognizer returns these codes for temporary faults (engine.Recognizer).
func Transient(c transcript.Code) bool {
	return c == transcript.Internal || c == transcript.UpstreamFailed || c == transcript.RateLimited
}

// MayWait reports whether a step that has waited since the given time may continue to
// wait. nil means that the step does not wait yet. now is by the same clock.
func (p Pauses) MayWait(since *time.Time, now time.Time) bool {
	return since == nil || now.Sub(*since) < p.LastWait
}

// UntilNextAttempt returns the pause after the given failed attempt, counted from 1. The
// pause is at least as long as the error asks for.
func (p Pauses) UntilNextAttempt(attempt int, cause *transcript.Error) time.Duration {
	asked := min(cause.RetryAfter, int(longestAsked/time.Second)) // a duration holds at most 292 years
	return max(p.After[attempt-1], time.Duration(asked)*time.Second)
}

// UntilNextLook returns the pause before a waiting step runs again. If a platform blocks
// the service, the pause is as long as the platform or the pace asks, within LastWait.
// For a disk, a database or a recognizer, the pause grows with the time that the step has
// waited. since has the same meaning as for MayWait.
func (p Pauses) UntilNextLook(since *time.Time, cause *transcript.Error, now time.Time) time.Duration {
	waited := time.Duration(0)
	if since != nil {
		waited = now.Sub(*since)
	}
	if cause.Code == transcript.ServiceUnavailable {
		return min(max(p.After[1], waited/4), longestLook)
	}
	asked := min(max(cause.RetryAfter, 1), int(p.LastWait/time.Second)) // a duration holds at most 292 years
	return min(time.Duration(asked)*time.Second, p.LastWait-waited)
}

// Sleep waits for d. It returns false if ctx ends first.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
