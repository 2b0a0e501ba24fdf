package pace

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// patience is how long a visit waits for its token. One that would have to
	// wait longer is not made, as its worker could visit another platform.
	patience = 2 * time.Second
	// longest is the longest wait for a token: a tiny rate must not overflow.
	longest = 24 * time.Hour
)

// bucket holds the tokens of a platform. Two kinds of visits want them: those that stand
// in line, and those of readers, which do not. While somebody stands in line, readers get
// at most every second token, so that neither kind can starve the other.
type bucket struct {
	// limiter counts the tokens. Its balance is below zero while tokens are owed.
	limiter *rate.Limiter
	mu      sync.Mutex
	line    line
	// debt is how many tokens readers have had before their time. The readers pay them
	// from their own share.
	debt int
	// credit is how many tokens the line gets before a reader gets the next one.
	credit int
}

// visitor is who makes a visit. A visitor without a name is a reader.
type visitor struct {
	name string
	// accounts are those that the visit is made for, which take turns; nil: the visitor
	// has a turn of its own.
	accounts []string
	behind   bool // it comes after all in the line who are not
}

func (v visitor) reads() bool { return v.name == "" }

func newBucket(r Rate) *bucket {
	limit := min(rate.Limit(r.PerMinute/60), rate.Inf) // which is a finite number
	return &bucket{limiter: rate.NewLimiter(limit, r.Burst)}
}

// take takes a token, after a moment where need be, and the visitor out of the line.
// ok is false when it is not its turn within that moment.
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

// try takes a token if it is the visitor's turn. Else it keeps the visitor's place and
// returns in how long its turn is.
func (b *bucket) try(v visitor) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.settle(now)
	if b.until(v, now, 0) > 0 {
		// A visit may move forward here, to where its turn is now.
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

// readerHad notes that a reader has had a token: the next one is the line's. Without a
// line, that holds for the first that comes to stand in it.
func (b *bucket) readerHad(now time.Time) {
	b.credit = min(b.credit+1, max(b.line.waiting(now), 1))
}

// owe takes n tokens that need not be there yet.
func (b *bucket) owe(v visitor, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	for range n { // more at once than the burst are refused
		b.limiter.ReserveN(now, 1)
	}
	if v.reads() && b.limiter.Limit() != rate.Inf {
		b.debt += n
	}
}

// settle brings the bucket up to now: what readers owe is paid with the tokens that are
// theirs by now.
func (b *bucket) settle(now time.Time) {
	b.line.forget(now)
	for b.debt > 0 && b.limiter.TokensAt(now)+float64(b.debt) >= float64(1+min(b.line.waiting(now), b.credit)) {
		b.debt--
		b.readerHad(now)
	}
}

// stand gives the visitor a place in line, unless it has one, and returns in how long its
// turn is, no sooner than after. first puts a visit first that had a token and got no
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

// leave takes a visitor out of the line who has given up.
func (b *bucket) leave(v visitor) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.line.remove(v)
}

// until is how long it takes, beginning after a while, until there are tokens for the
// visitor and for all who get theirs before. Readers who come meanwhile can make it
// longer.
func (b *bucket) until(v visitor, now time.Time, after time.Duration) time.Duration {
	if b.limiter.Limit() == rate.Inf {
		return after
	}
	at := now.Add(after)
	missing := float64(b.needs(v, at)) - b.limiter.TokensAt(at)
	return after + seconds(max(0, missing)/float64(b.limiter.Limit()))
}

// needs is the balance at which it is the visitor's turn. The line gets as many tokens as
// its credit, then both kinds take turns; the readers' debt is paid before the next reader.
func (b *bucket) needs(v visitor, at time.Time) int {
	if v.reads() {
		return 1 + min(b.line.waiting(at), b.credit+b.debt)
	}
	own := b.line.ahead(v, at) + 1
	return own + min(b.debt, max(own-b.credit, 0)) - b.debt
}

// seconds is s as a duration, as long as that is sensible.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, longest.Seconds()) * float64(time.Second))
}

// sleep returns the cause of ctx where that ends first.
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
