package client

import (
	"context"
	"errors"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// again decides whether another attempt follows a failed one, and sets the wait before
// it. RetryPolicy says which attempts count.
func (k *call) again(ctx context.Context) bool {
	if k.pauses == nil {
		k.pauses = k.retry.pauses()
	}
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

// progressed notes that the service has taken in more: the attempts begin to count again.
func (k *call) progressed() {
	k.counted = 0
	if k.pauses != nil {
		k.pauses.reset()
	}
}

// inHand reports whether the service works on an earlier attempt of this call. Another
// call may also use a key that the caller has chosen. So such a key counts only after an
// attempt of this call broke off.
func (k *call) inHand() bool {
	return errors.Is(k.err, transcript.IdempotencyInProgress) && (k.ownKey || k.unsure)
}

// connected notes that there is a service at the base URL, unless no connection was made.
func (c *Client) connected(err *transportError) {
	if err == nil || !err.refused() {
		c.answered.Store(true)
	}
}
