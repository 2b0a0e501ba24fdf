package client

import (
	"context"
	"errors"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// again decides whether a failed attempt is followed by another, and after which
// wait. See RetryPolicy for what counts as an attempt.
func (k *call) again(ctx context.Context) bool {
	k.notice()
	var again bool
	k.wait, again = k.pauses.next(ctx, k.method, k.err)
	if !again || k.retry.Attempts == 1 {
		return false
	}
	switch {
	case !k.away.IsZero() && k.client.answered.Load():
		left := k.retry.MaxWait - time.Since(k.away)
		k.wait = min(k.wait, left)
		return left > 0
	case k.inHand():
		return true
	}
	k.counted++
	return k.counted < k.retry.Attempts
}

// notice notes since when the service takes no connections.
func (k *call) notice() {
	var broken *transportError
	switch refused := errors.As(k.err, &broken) && broken.refused(); {
	case refused && k.away.IsZero():
		k.away = time.Now()
	case !refused && !k.away.IsZero(): // it is back
		k.away = time.Time{}
		k.pauses.reset()
	}
}

// inHand reports whether the service has an earlier attempt of this call in hand. A
// key of the caller's may also be in use by another call, unless an attempt of this
// one broke off.
func (k *call) inHand() bool {
	return errors.Is(k.err, transcript.IdempotencyInProgress) && (k.ownKey || k.unsure)
}

// connected notes that there is a service at the base URL, unless no connection was made.
func (c *Client) connected(err *transportError) {
	if err == nil || !err.refused() {
		c.answered.Store(true)
	}
}
