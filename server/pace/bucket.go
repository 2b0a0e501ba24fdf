package pace

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// patience is how long a visit waits for its token. One that would have to
	// wait longer is not made, as its worker could visit another platform.
	patience = 2 * time.Second
	// absence is how long a place in line is kept when no visit comes in its turn.
	absence = time.Minute
	// longest is the longest wait for a token: a tiny rate must not overflow.
	longest = 24 * time.Hour
)

// bucket holds the tokens of a platform, and the line of visits that wait for one.
type bucket struct {
	limiter *rate.Limiter
	mu      sync.Mutex
	line    []place
}

// visitor is who makes a visit. Those that stand behind come after all others in the
// line; those without a name do not stand in it.
type visitor struct {
	name   string
	behind bool
}

// place is that of a visit in the line, which was told when to come.
type place struct {
	visitor
	from time.Time // it wants no token before: its source is blocked
	due  time.Time
}

func newBucket(r Rate) *bucket {
	limit := min(rate.Limit(r.PerMinute/60), rate.Inf) // which is a finite number
	return &bucket{limiter: rate.NewLimiter(limit, r.Burst)}
}

// take takes a token, after a moment where need be, and the name out of the line.
// ok is false when it is not its turn for longer than that.
func (b *bucket) take(ctx context.Context, v visitor) (ok bool, err error) {
	b.mu.Lock()
	b.forget(time.Now())
	if b.until(v, 0) > patience {
		b.mu.Unlock()
		return false, nil
	}
	token := b.limiter.Reserve()
	b.line = slices.DeleteFunc(b.line, func(p place) bool { return p.name == v.name })
	b.mu.Unlock()

	timer := time.NewTimer(token.Delay())
	defer timer.Stop()
	select {
	case <-timer.C:
		return true, nil
	case <-ctx.Done():
		token.Cancel()
		return false, context.Cause(ctx)
	}
}

// owe takes n tokens that need not be there yet: what comes next waits for them.
func (b *bucket) owe(n int) {
	for range n {
		b.limiter.Reserve()
	}
}

// stand gives the visitor a place, unless it has one: the last, or the first to a
// visit that had a token and got no answer. It returns in how long its turn is, no
// sooner than after.
func (b *bucket) stand(v visitor, after time.Duration, first bool) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.forget(now)
	if v.name == "" || b.limiter.Limit() == rate.Inf {
		return b.until(v, after)
	}
	n, stands := b.index(v)
	if !stands {
		if first {
			n = b.begin(v)
		}
		b.line = slices.Insert(b.line, n, place{visitor: v})
	}
	wait := b.until(v, after)
	b.line[n].from, b.line[n].due = now.Add(after), now.Add(wait)
	return wait
}

// until is how long it takes, beginning after a while, until there are tokens
// for the visitor and for all who stand before it.
func (b *bucket) until(v visitor, after time.Duration) time.Duration {
	if b.limiter.Limit() == rate.Inf {
		return after
	}
	at := time.Now().Add(after)
	missing := float64(b.ahead(v, at)+1) - b.limiter.TokensAt(at)
	return after + seconds(max(0, missing)/float64(b.limiter.Limit()))
}

// ahead is how many stand before the visitor and want a token by then. A visit that
// waits for one source's block to pass holds up none to another source.
func (b *bucket) ahead(v visitor, at time.Time) int {
	if v.name == "" {
		return 0
	}
	end, _ := b.index(v)
	n := 0
	for _, p := range b.line[:end] {
		if !p.from.After(at.Add(patience)) {
			n++
		}
	}
	return n
}

// index is where the visitor stands; else where it would, as the last of its kind. One
// that stood behind and does not any more is taken out of the line.
func (b *bucket) index(v visitor) (n int, stands bool) {
	if n = slices.IndexFunc(b.line, func(p place) bool { return p.name == v.name }); n >= 0 {
		if v.behind || !b.line[n].behind {
			return n, true
		}
		b.line = slices.Delete(b.line, n, n+1)
	}
	if v.behind {
		return len(b.line), false
	}
	return b.begin(visitor{behind: true}), false
}

// begin is where those of a visitor's kind begin.
func (b *bucket) begin(v visitor) int {
	if !v.behind {
		return 0
	}
	if n := slices.IndexFunc(b.line, func(p place) bool { return p.behind }); n >= 0 {
		return n
	}
	return len(b.line)
}

// forget takes visits that have not come in time out of the line.
func (b *bucket) forget(now time.Time) {
	b.line = slices.DeleteFunc(b.line, func(p place) bool { return now.After(p.due.Add(absence)) })
}

// seconds is s as a duration, as long as that is sensible.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, longest.Seconds()) * float64(time.Second))
}
