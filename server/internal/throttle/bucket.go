package throttle

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/transcriptkit/transcriptkit/server/pace"
)

const (
	// patience bounds a visit's wait for its token. A visit that would wait longer is not made,
	// so that its worker can visit another platform.
	patience = 2 * time.Second
	// longest is the longest wait for a token, so that a tiny rate does not overflow.
	longest = 24 * time.Hour
)

// bucket holds the tokens of a platform. Two kinds of visits need tokens: visits that stand in
// line, and readers' visits, which do not. While visits stand in line, readers get at most
// every second token, so that neither kind can starve the other.
type bucket struct {
	// limiter counts the tokens. Its balance is negative while tokens are owed.
	limiter *rate.Limiter
	mu      sync.Mutex
	line    line
	// debt is how many tokens readers have had in advance. The readers pay them from their own
	// share.
	debt int
	// credit is how many tokens the line gets before the next reader gets one.
	credit int
}

// visitor identifies a visit. A visitor without a name is a reader.
type visitor struct {
	name string
	// accounts are the accounts for which the visit is made; they take turns. nil: the visitor
	// has a turn of its own.
	accounts []string
	behind   bool // it comes after all others in the line
}

func (v visitor) reads() bool { return v.name == "" }

func newBucket(r pace.Rate) *bucket {
	limit := min(rate.Limit(r.PerMinute/60), rate.Inf) // rate.Inf is a finite number
	return &bucket{limiter: rate.NewLimiter(limit, r.Burst)}
}

// take takes a token, after a short wait if necessary, and removes the visitor from the line.
// ok is false if the visitor's turn does not come within patience.
func (b *bucket) take(ctx context.Context, v visitor) (ok bool, err error) {
	for end := time.Now().Add(patience); ; {
		wait := b.try(v)
		if wait == 0 {
			return true, nil
		}
		if time.Now().Add(wait).After(end) {
			return false, nil
		}
		if err := sleep(ctx, wait); err != nil {
			b.leave(v)
			return false, err
		}
	}
}

// try takes a token if it is the visitor's turn. Otherwise it keeps the visitor's place and
// returns the time until the turn.
func (b *bucket) try(v visitor) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.settle(now)
	if b.until(v, now, 0) > 0 {
		// A visit may move forward to its present turn here.
		if wait := b.place(v, now, 0, false); wait > 0 {
			return wait
		}
	}
	b.limiter.ReserveN(now, 1)
	if v.reads() {
		b.readerHad(now)
	} else {
		b.credit = max(b.credit-1, 0)
		b.line.serve(v)
	}
	return 0
}

// readerHad records that a reader has had a token: the next one belongs to the line. If the
// line is empty, the next visit that joins it gets that token.
func (b *bucket) readerHad(now time.Time) {
	b.credit = min(b.credit+1, max(b.line.waiting(now), 1))
}

// owe takes n tokens in advance.
func (b *bucket) owe(v visitor, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	for range n { // the limiter refuses more than the burst at once
		b.limiter.ReserveN(now, 1)
	}
	if v.reads() && b.limiter.Limit() != rate.Inf {
		b.debt += n
	}
}

// settle brings the bucket up to date: readers' debt is paid with the tokens that readers have
// earned by now.
func (b *bucket) settle(now time.Time) {
	b.line.forget(now)
	for b.debt > 0 && b.limiter.TokensAt(now)+float64(b.debt) >= float64(1+min(b.line.waiting(now), b.credit)) {
		b.debt--
		b.readerHad(now)
	}
}

// stand gives the visitor a place in line, unless it has one, and returns the time until its
// turn, at least after. If first is set, the visit comes first: it had a token and got no
// answer.
func (b *bucket) stand(v visitor, after time.Duration, first bool) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.settle(now)
	return b.place(v, now, after, first)
}

func (b *bucket) place(v visitor, now time.Time, after time.Duration, first bool) time.Duration {
	if v.reads() || b.limiter.Limit() == rate.Inf {
		return b.until(v, now, after)
	}
	n := b.line.stand(v, first)
	wait := b.until(v, now, after)
	b.line.places[n].from, b.line.places[n].due = now.Add(after), now.Add(wait)
	return wait
}

// leave removes a visitor from the line that has given up.
func (b *bucket) leave(v visitor) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.line.remove(v)
}

// until returns the time, at least after, until there are tokens for the visitor and for all
// visitors before it. Readers that arrive in the meantime can make it longer.
func (b *bucket) until(v visitor, now time.Time, after time.Duration) time.Duration {
	if b.limiter.Limit() == rate.Inf {
		return after
	}
	at := now.Add(after)
	missing := float64(b.needs(v, at)) - b.limiter.TokensAt(at)
	return after + seconds(max(0, missing)/float64(b.limiter.Limit()))
}

// needs returns the balance at which it is the visitor's turn. The line gets as many tokens as
// its credit; then both kinds take turns. The readers' debt is paid before the next reader.
func (b *bucket) needs(v visitor, at time.Time) int {
	if v.reads() {
		return 1 + min(b.line.waiting(at), b.credit+b.debt)
	}
	own := b.line.ahead(v, at) + 1
	return own + min(b.debt, max(own-b.credit, 0)) - b.debt
}

// seconds converts s to a duration of at most longest.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, longest.Seconds()) * float64(time.Second))
}

// sleep returns the cause of ctx if ctx ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
