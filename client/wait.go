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
	pollHearing  = 30 * time.Second // while news come by themselves, should one get lost
	pollHintMax  = time.Minute      // a longer Retry-After of what still runs is not believed
	pollFailures = 5                // failed questions in a row that end a wait
)

// atOnce is the hint of an answer that has itself been waited for.
const atOnce = time.Duration(-1)

// poll asks a question again and again until the job or batch has ended.
type poll[T any] struct {
	// ask also returns how long the service asks to wait before the next question; 0 if
	// the service does not say.
	ask   func() (T, time.Duration, error)
	ended func(T) bool
	// moved reports whether now differs from before.
	moved func(before, now T) bool

	// listen returns a channel of pushed states. It closes the channel when ctx ends or
	// when no more states will come. If listen is nil, no states are pushed.
	listen func(ctx context.Context) <-chan news[T]
	// whole reports whether a pushed end says everything that an answer would say.
	whole func(T) bool
}

// news is a pushed state, or the message that no more states come.
type news[T any] struct {
	now  T
	lost func() // tells who wants to know; nil: there is a state
}

// wait returns the state at the end, or the last state seen with the reason why the
// wait ended early. told says that the service has just reported last: then the first
// question can wait.
func (p poll[T]) wait(ctx context.Context, last T, told bool) (T, error) {
	ctx, leave := context.WithCancel(ctx)
	w := &wait[T]{poll: p, last: last, pause: growing(), next: time.NewTimer(0), asked: time.Now()}
	defer func() {
		leave()
		w.next.Stop()
		if w.news != nil {
			for range w.news { // until it is closed
			}
		}
	}()
	if told {
		w.hear(ctx)
		w.schedule(w.usual())
	}
	for {
		var over bool
		var err error
		select {
		case <-ctx.Done():
			err = contextError(ctx)
		case <-w.next.C:
			over, err = w.question(ctx)
		case n, more := <-w.news:
			over = w.learn(n, more)
		}
		if over || err != nil {
			return w.last, err
		}
	}
}

// growing are the pauses between questions while nothing moves.
func growing() *backoff.ExponentialBackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(pollMin),
		backoff.WithMaxInterval(pollMax),
		backoff.WithMaxElapsedTime(0), // only ctx limits the wait
	)
}

// wait is a poll under way.
type wait[T any] struct {
	poll[T]
	last     T
	pause    *backoff.ExponentialBackOff
	failures int // in a row

	next   *time.Timer // to the next question
	asked  time.Time   // the last one
	notYet time.Time   // the service wants no question before

	news    <-chan news[T] // nil: before hear, and when no more will come
	heard   bool           // hear was called
	hearing bool           // news have come, and none is known to be missing
}

// hear begins to listen, once.
func (w *wait[T]) hear(ctx context.Context) {
	if w.listen != nil && !w.heard {
		w.news, w.heard = w.listen(ctx), true
	}
}

// schedule sets the time of the next question.
func (w *wait[T]) schedule(pause time.Duration) {
	w.next.Reset(max(pause, time.Until(w.notYet)))
}

// usual is the pause before the next question, where nothing hurries it.
func (w *wait[T]) usual() time.Duration {
	if w.hearing {
		return time.Until(w.asked.Add(pollHearing))
	}
	return w.pause.NextBackOff()
}

// question asks, and reports whether the answer is the end.
func (w *wait[T]) question(ctx context.Context) (over bool, err error) {
	now, hint, err := w.ask()
	w.asked = time.Now()
	if err != nil {
		w.failures++
		if hint, err = retryPause(ctx, err, w.failures); err != nil {
			return false, err
		}
	} else {
		if w.ended(now) {
			w.last = now
			return true, nil
		}
		if w.moved(w.last, now) {
			w.pause.Reset()
		}
		w.last, w.failures = now, 0
		w.hear(ctx)
	}
	w.notYet = w.asked.Add(min(hint, pollHintMax))
	if hint == atOnce {
		w.schedule(0)
	} else {
		w.schedule(w.usual())
	}
	return false, nil
}

// learn takes in a pushed state, and reports whether the state is the end. When pushed
// states stop coming, wait asks questions again.
func (w *wait[T]) learn(n news[T], more bool) (over bool) {
	switch {
	case !more, n.lost != nil:
		w.hearing = false
		w.pause.Reset()
		w.schedule(w.usual())
		if !more {
			w.news = nil
		} else {
			n.lost()
		}
		return false
	case !w.ended(n.now):
		w.hearing, w.failures = true, 0
		w.last = n.now
		w.schedule(w.usual())
		return false
	case !w.whole(n.now):
		w.notYet = time.Time{} // that was about what still runs
		w.schedule(0)
		return false
	}
	w.last = n.now
	return true
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
