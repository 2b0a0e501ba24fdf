package client

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v4"
)

const (
	pollMin      = 500 * time.Millisecond
	pollMax      = 5 * time.Second
	pollHintMax  = time.Minute // a longer Retry-After of what still runs is not believed
	pollFailures = 5           // failed questions in a row that end a wait
)

// poll is a question that is asked again and again until what it asks for has ended.
type poll[T any] struct {
	// ask also returns how long the service asks to wait before the next question; 0:
	// it does not say.
	ask   func() (T, time.Duration, error)
	ended func(T) bool
	// moved reports whether there is news since the state before.
	moved func(before, now T) bool
}

// wait returns the state in which it has ended, or the last one seen with the reason
// why the wait ended before. Pauses grow while nothing moves.
func (p poll[T]) wait(ctx context.Context, last T) (T, error) {
	pause := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(pollMin),
		backoff.WithMaxInterval(pollMax),
		backoff.WithMaxElapsedTime(0), // only ctx limits the wait
	)
	failures := 0
	for {
		now, hint, err := p.ask()
		switch {
		case err == nil && p.ended(now):
			return now, nil
		case err == nil:
			if p.moved(last, now) {
				pause.Reset()
			}
			last, failures = now, 0
			hint = min(hint, pollHintMax)
		default:
			failures++
			if hint, err = retryPause(ctx, err, failures); err != nil {
				return last, err
			}
		}
		if err := sleep(ctx, max(pause.NextBackOff(), hint)); err != nil {
			return last, err
		}
	}
}

// retryPause returns how long to wait before a failed question is asked again, or
// the error that ends the wait.
func retryPause(ctx context.Context, err error, failures int) (time.Duration, error) {
	if ctx.Err() != nil || failures >= pollFailures || !transient(http.MethodGet, err) {
		return 0, err
	}
	var refused *Error
	if !errors.As(err, &refused) {
		return 0, nil
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < refused.RetryAfter {
		return 0, err
	}
	return refused.RetryAfter, nil
}
