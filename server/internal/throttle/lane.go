package throttle

import (
	"log/slog"
	"time"

	"golang.org/x/time/rate"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// lane is the way to a platform through one exit. Its tokens are shared by all sources,
// because the platform sees one visitor. Each source has a circuit of its own.
type lane struct {
	exit *egress.Exit // nil means that the service has no pool of exits
	name string       // of the exit
	gone bool         // the pool has lost the exit
	log  *slog.Logger
	// limiter counts the tokens. Its balance is negative while tokens are owed.
	limiter *rate.Limiter
	// debt is how many tokens readers have had in advance. The readers pay them from their own
	// share.
	debt     int
	circuits map[int]*circuit // by source
	served   int              // the queue's count of tokens at its last visit
}

func newLane(name string, r pace.Rate, log *slog.Logger) *lane {
	return &lane{name: name, log: log.With("exit", name), limiter: rate.NewLimiter(limitOf(r), r.Burst), circuits: map[int]*circuit{}}
}

// limitOf returns the tokens of a second; rate.Inf, which is a finite number, if they have no
// bound.
func limitOf(r pace.Rate) rate.Limit { return min(rate.Limit(r.PerMinute/60), rate.Inf) }

// serves reports whether a source of the platform may be visited by the lane.
func (l *lane) serves(platform transcript.Platform, source int) bool {
	return !l.gone && (l.exit == nil || l.exit.Serves(useOf(source), platform))
}

// useOf returns the use of an exit for a visit to a source.
func useOf(source int) egress.Use {
	switch source {
	case audio:
		return egress.Sound
	case lists, discovers:
		return egress.Lists
	}
	return egress.Captions
}

// circuit returns the circuit of a source; origin is the name of the source in the log.
func (l *lane) circuit(source int, origin string) *circuit {
	c := l.circuits[source]
	if c == nil {
		c = newCircuit(l.log.With("source", origin))
		l.circuits[source] = c
	}
	return c
}

// permit permits a visit to a source. It returns nil if the circuit is open.
func (l *lane) permit(r route) *grant {
	c := l.circuit(r.source, r.origin)
	permit, ok := c.begin()
	if !ok {
		return nil
	}
	return &grant{l, l.exit, c, permit}
}

// shut returns how long the source may not be visited by the lane, and why.
func (l *lane) shut(source int) (time.Duration, *transcript.Error) {
	if c := l.circuits[source]; c != nil {
		return c.remaining()
	}
	return 0, nil
}

// balance returns the tokens at a time, as if no debt had been made.
func (l *lane) balance(at time.Time) float64 {
	return l.limiter.TokensAt(at) + float64(l.debt)
}

// rested reports whether nothing would change if the lane were made again.
func (l *lane) rested(now time.Time) bool {
	for source := range l.circuits {
		if wait, _ := l.shut(source); wait > 0 {
			return false
		}
	}
	return l.limiter.Limit() == rate.Inf || l.debt == 0 && l.limiter.TokensAt(now) >= float64(l.limiter.Burst())
}
