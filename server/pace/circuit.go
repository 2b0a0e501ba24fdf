package pace

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// A source that blocks is left alone for as long as it asks for, else first for
// so long, then for twice as long each time, up to a bound. The
// bound is higher for one that asks for that much by itself: its blocks are long.
// What it asks for is bounded too: no job waits longer.
const (
	firstCoolDown    = 30 * time.Second
	mostCoolDown     = 10 * time.Minute
	mostLongCoolDown = time.Hour
	mostAskedFor     = 6 * time.Hour
)

// trial is how long the others are told to wait while one visit finds out
// whether the platform answers again.
const trial = 5 * time.Second

type breaker = circuitbreaker.CircuitBreaker[any]

// circuit keeps one source away from a platform that blocks it.
type circuit struct {
	log *slog.Logger // knows the platform and the source

	mu sync.Mutex
	// breaker is replaced whenever it opens, as its delay is its own. So a visit
	// that began before says nothing of the present.
	breaker  breaker
	coolDown time.Duration     // the last one; 0: the platform has answered since
	opened   time.Time         // for the first time since it has answered
	block    *transcript.Error // the last one
}

func newCircuit(log *slog.Logger) *circuit {
	return &circuit{log: log, breaker: circuitbreaker.NewWithDefaults[any]()}
}

// remaining is how long no visit is to be made, and why; 0: one may be.
func (c *circuit) remaining() (time.Duration, *transcript.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.breaker.IsHalfOpen() {
		return trial, c.block
	}
	return c.breaker.RemainingDelay(), c.block
}

// begin permits a visit, if one may be made. The visit ends with one of answered,
// blocked and undecided; answered may be called before, too.
func (c *circuit) begin() (b breaker, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.breaker, c.breaker.TryAcquirePermit()
}

// answered closes the circuit: the platform has told something.
func (c *circuit) answered(ctx context.Context, b breaker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b != c.breaker || c.coolDown == 0 {
		return
	}
	b.RecordSuccess()
	c.coolDown = 0
	c.log.InfoContext(ctx, "a circuit has closed", "after", time.Since(c.opened).Round(time.Millisecond))
}

// blocked opens the circuit, for as long as the platform asks for or longer.
func (c *circuit) blocked(ctx context.Context, b breaker, block *transcript.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b != c.breaker { // others have found out at the same time
		return
	}
	if c.coolDown == 0 {
		c.opened = time.Now()
	}
	c.coolDown, c.block = next(c.coolDown, block.RetryAfter), block
	c.open(c.coolDown)
	c.log.WarnContext(ctx, "a circuit has opened", "for", c.coolDown)
}

// undecided gives the permit of a trial back: the next visit is one.
func (c *circuit) undecided(b breaker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b == c.breaker && b.IsHalfOpen() {
		c.open(0)
	}
}

func (c *circuit) open(d time.Duration) {
	c.breaker = circuitbreaker.NewBuilder[any]().WithDelay(d).Build()
	c.breaker.Open()
}

// next is the cool-down after the last one; 0: there was none. asked are seconds.
func next(last time.Duration, asked int) time.Duration {
	asks := time.Duration(min(asked, int(mostAskedFor/time.Second))) * time.Second // a duration holds no more than 292 years
	bound := mostCoolDown
	if asks >= mostCoolDown {
		bound = mostLongCoolDown
	}
	return cmp.Or(max(asks, min(2*last, bound), 0), firstCoolDown)
}
