package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// RetryPolicy limits how often and how fast a call is repeated. [Error.Retryable] says
// after which answers a call is repeated. A broken connection is treated like a 502.
//
// Two failures do not count as attempts. If the service has answered this client before
// and now accepts no connections, the client assumes that the service restarts, and
// waits up to MaxWait for it. After a broken connection, the service may still work on
// an earlier attempt of the same call (409 IDEMPOTENCY_IN_PROGRESS): then the call asks
// again after each Retry-After of up to MaxWait, and only the context limits how often.
// In a resumable upload, the count of attempts starts again each time the service has
// received more of the file.
//
// A field that is 0 has its default. [NoRetry] switches retries off.
type RetryPolicy struct {
	// Attempts is the largest number of times that a request is sent, the first time
	// included. 0 means 4.
	Attempts int
	// MinWait is the pause before the second attempt. 0 means 500 ms, or MaxWait if
	// that is shorter. The pause doubles with each further attempt, and each pause is
	// shortened by up to half at random.
	MinWait time.Duration
	// MaxWait is the longest pause, and the longest time that a call waits for a
	// service that restarts. 0 means 30 s, or MinWait if that is longer. If Retry-After
	// is longer than MaxWait, the call returns the error at once.
	MaxWait time.Duration
}

// NoRetry is the policy that never repeats a request.
var NoRetry = RetryPolicy{Attempts: 1}

func (p RetryPolicy) withDefaults() RetryPolicy {
	p.Attempts = cmp.Or(p.Attempts, 4)
	p.MinWait = cmp.Or(p.MinWait, min(500*time.Millisecond, cmp.Or(p.MaxWait, time.Hour)))
	p.MaxWait = cmp.Or(p.MaxWait, max(30*time.Second, p.MinWait))
	return p
}

func (p RetryPolicy) validate() error {
	if p.Attempts < 0 || p.MinWait < 0 || p.MaxWait < 0 {
		return errors.New("client: a retry policy must not have negative values")
	}
	if p.MaxWait > 0 && p.MinWait > p.MaxWait {
		return fmt.Errorf("client: retry policy: MinWait %s is over MaxWait %s", p.MinWait, p.MaxWait)
	}
	return nil
}

// pauses are the pauses between failed attempts in a row.
type pauses struct {
	policy  RetryPolicy
	growing *backoff.ExponentialBackOff
}

func (p RetryPolicy) pauses() *pauses {
	return &pauses{p, backoff.NewExponentialBackOff(
		// From half of the wait to all of it, as an interval and how far it varies.
		backoff.WithInitialInterval(p.MinWait*3/4),
		backoff.WithMaxInterval(p.MaxWait*3/4),
		backoff.WithRandomizationFactor(1.0/3),
		backoff.WithMultiplier(2),
		backoff.WithMaxElapsedTime(0), // the attempts are counted
	)}
}

// reset returns to the shortest pause after an attempt that did not fail.
func (p *pauses) reset() { p.growing.Reset() }

// next decides what follows a failed attempt: whether to repeat it, and after
// how long. A pause that the caller's deadline would cut short is not begun.
func (p *pauses) next(ctx context.Context, method string, err error) (time.Duration, bool) {
	if ctx.Err() != nil || !transient(method, err) {
		return 0, false
	}
	wait := min(p.growing.NextBackOff(), p.policy.MaxWait)
	var refused *Error
	if errors.As(err, &refused) && refused.RetryAfter > 0 {
		if refused.RetryAfter > p.policy.MaxWait {
			return 0, false
		}
		// Never earlier than asked, and not all callers at the same moment.
		wait = max(wait, refused.RetryAfter+rand.N(refused.RetryAfter/10+1))
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
		return 0, false
	}
	return wait, true
}

// transient reports whether the request behind err may be sent again.
func transient(method string, err error) bool {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Retryable()
	}
	var broken *transportError
	return errors.As(err, &broken) && safeToRepeat(method) && broken.passing()
}

// safeToRepeat reports whether a request does nothing twice. A POST is: it
// always carries an Idempotency-Key.
func safeToRepeat(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPut, http.MethodDelete, http.MethodPost:
		return true
	}
	return false
}

// transportError is a request that got no complete answer.
type transportError struct {
	method, path string
	err          error
}

func (e *transportError) Error() string {
	reason := e.err
	var wrapped *url.Error // names the method and the whole URL once more
	if errors.As(reason, &wrapped) {
		reason = wrapped.Err
	}
	if e.noTLS() {
		reason = errors.New("the service does not speak TLS at this port: the base URL must begin with http://, or name another port")
	}
	return fmt.Sprintf("client: %s %s: %s", e.method, e.path, clip.OneLine(reason.Error(), maxMessage))
}

func (e *transportError) Unwrap() error { return e.err }

// refused reports whether no connection was made, so that nothing was sent.
func (e *transportError) refused() bool {
	var op *net.OpError
	return errors.As(e.err, &op) && op.Op == "dial"
}

// noTLS reports whether the other end does not speak TLS.
func (e *transportError) noTLS() bool {
	var header tls.RecordHeaderError
	return errors.Is(e.err, http.ErrSchemeMismatch) || errors.As(e.err, &header)
}

// passing reports whether another attempt may fare better: not after a bad
// certificate, an end without TLS, an unknown scheme or an invalid header.
func (e *transportError) passing() bool {
	if e.noTLS() {
		return false
	}
	again, _ := retryablehttp.DefaultRetryPolicy(context.Background(), nil, e.err) // its error is ctx's, which has none
	return again
}

// contextError is why ctx ended: its error, and the cause where one was given.
func contextError(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}

// sleep waits for d or for the end of ctx, whose error it returns.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return contextError(ctx)
	}
}
