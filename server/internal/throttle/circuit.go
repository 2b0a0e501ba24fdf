package throttle

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// A source that blocks is not visited for the time that it asks for. If it names no time, the
// cool-down is firstCoolDown, and doubles with each further block up to a bound. The limit is
// higher for a source that asks for that much by itself, because its blocks are long. The
// requested time is bounded too: no job waits longer.
const (
	firstCoolDown    = 30 * time.Second
	mostCoolDown     = 10 * time.Minute
	mostLongCoolDown = time.Hour
	mostAskedFor     = 6 * time.Hour
)

// trial is the wait of other visits while one visit finds out whether the platform answers
// again.
const trial = 5 * time.Second

type breaker = circuitbreaker.CircuitBreaker[any]

// circuit prevents visits of one source to a platform that blocks the source.
type circuit struct {
	log *slog.Logger // has the platform and the source as attributes

	mu sync.Mutex
	// breaker is replaced whenever it opens, because each breaker has its own delay. So the
	// result of an older visit does not change the new breaker.
	breaker  breaker
	coolDown time.Duration     // the last one; 0 means that the platform has answered since
	opened   time.Time         // first time since the platform's last answer
	block    *transcript.Error // the last one
}

func newCircuit(log *slog.Logger) *circuit {
	return &circuit{log: log, breaker: circuitbreaker.NewWithDefaults[any]()}
}

// remaining returns how long no visit may be made, and why, or 0 if a visit may be made.
func (c *circuit) remaining() (time.Duration, *transcript.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.breaker.IsHalfOpen() {
		return trial, c.block
	}
	return c.breaker.RemainingDelay(), c.block
}

// begin permits a visit, if one may be made. The visit ends with one of answered, blocked and
// undecided; answered may also be called earlier.
func (c *circuit) begin() (b breaker, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.breaker, c.breaker.TryAcquirePermit()
}

// answered closes the circuit after an answer of the platform.
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

// blocked opens the circuit, at least for the time that the platform asks for.
func (c *circuit) blocked(ctx context.Context, b breaker, block *transcript.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b != c.breaker { // a concurrent visit has found the block first
		return
	}
	if c.coolDown == 0 {
		c.opened = time.Now()
	}
	c.coolDown, c.block = next(c.coolDown, block.RetryAfter), block
	c.open(c.coolDown)
	c.log.WarnContext(ctx, "a circuit has opened", "for", c.coolDown)
}

// undecided returns the permit of a trial: the next visit becomes the trial.
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

// next returns the cool-down after the last one, or 0 if there was none. asked is in
// seconds.
func next(last time.Duration, asked int) time.Duration {
	asks := time.Duration(min(asked, int(mostAskedFor/time.Second))) * time.Second // bounded, because a duration holds at most 292 years
	bound := mostCoolDown
	if asks >= mostCoolDown {
		bound = mostLongCoolDown
	}
	return cmp.Or(max(asks, min(2*last, bound), 0), firstCoolDown)
}
