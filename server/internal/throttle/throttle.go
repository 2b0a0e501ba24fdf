// Package throttle keeps the service from being blocked by platforms: it limits the rate of
// visits, and makes no visits while a platform blocks the service.
//
//	t, err := throttle.New(pace.Config{}, guard, log)
//	eng = t.Engine(eng) // its sources now keep the pace
//
// A visit is one call of a caption source, of an audio source, of a list source or of discovery.
// Describing videos counts as one visit for each video. A platform judges by the address of its
// visitors, so each visit leaves by one exit of the guard's pool. All visits to a platform by one
// exit share one token bucket. Each source has a circuit breaker for each platform and exit. An
// answer of IP_BLOCKED opens the breaker for the time that the platform asks for. If the platform
// names no time, the breaker opens for 30 s, and twice as long each time while the block
// continues. The bound is 10 min, or an hour if the platform asks for 10 min or more. After that,
// one visit finds out whether the platform answers again. An exit that does not work opens the
// breaker too.
//
// A visit goes by the exit that has a token first. If the platform blocks that exit, the visit
// continues by the next exit. If no exit is left, the visit fails with IP_BLOCKED, and
// RetryAfter says when to come again: when the first exit may be used. If several sources are
// asked for one answer ([AsOne]), the rate can delay only the first visit. Visits that wait in
// line ([InLine]) get different times, so that they do not all come at once. While visits wait
// in line, other visits get at most every second token of all exits together.
//
// The buckets and breakers belong to one process. Processes behind one address share its
// reputation, and their rates add up.
package throttle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Throttle keeps the pace of one process. It is safe for concurrent use.
type Throttle struct {
	guard *egress.Guard
	log   *slog.Logger

	mu     sync.Mutex
	cfg    pace.Config
	queues map[transcript.Platform]*queue
	counts map[string]*Exit // by the name of the exit
}

// route is one source of a platform.
type route struct {
	source int    // the index of the caption source in the engine; or audio, lists or discovers
	origin string // the name of the source in the log
}

// The sources for sound, lists and discovery.
const (
	audio     = -1
	lists     = -2
	discovers = -3
)

// The routes to these sources.
func audioRoute() route     { return route{audio, "audio"} }
func listsRoute() route     { return route{lists, "lists"} }
func discoveryRoute() route { return route{discovers, "discovery"} }

// New checks the configuration. Visits leave by the exits of the guard's pool; nil means by
// the one exit "direct". log receives a line when a circuit opens or closes; nil means that
// nothing is logged.
func New(c pace.Config, guard *egress.Guard, log *slog.Logger) (*Throttle, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	p := &Throttle{guard: guard, log: log, queues: map[transcript.Platform]*queue{}, counts: map[string]*Exit{}}
	return p, p.SetPace(c)
}

// SetPace checks a configuration and replaces the current one. Visits that wait keep their places,
// and lanes keep their tokens.
func (p *Throttle) SetPace(c pace.Config) (err error) {
	if c.Rate, err = withDefaults(c.Rate); err != nil {
		return err
	}
	rates := make(map[transcript.Platform]pace.Rate, len(c.Rates))
	for platform, r := range c.Rates {
		if rates[platform], err = withDefaults(r); err != nil {
			return fmt.Errorf("%w: %s", err, platform)
		}
	}
	c.Rates = rates
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cfg = c
	for platform, q := range p.queues {
		q.setRate(p.rateOf(platform))
	}
	return nil
}

// rateOf returns the rate of a platform. The caller holds mu.
func (p *Throttle) rateOf(platform transcript.Platform) pace.Rate {
	if r, ok := p.cfg.Rates[platform]; ok {
		return r
	}
	return p.cfg.Rate
}

// withDefaults checks a rate, and fills in its zero members.
func withDefaults(r pace.Rate) (pace.Rate, error) {
	if r.PerMinute < 0 || math.IsNaN(r.PerMinute) || r.Burst < 0 {
		return r, errors.New("pace: PerMinute and Burst of a rate must not be negative")
	}
	if r.PerMinute == 0 {
		r.PerMinute = 5
	}
	if r.Burst == 0 {
		r.Burst = 5
	}
	return r, nil
}

// Engine returns e with caption, audio and list sources that keep the pace. The discovery keeps
// it too, unless it is an [engine.ByAPI]. Call Engine once.
func (p *Throttle) Engine(e engine.Engine) engine.Engine {
	sources := make([]engine.CaptionSource, len(e.Captions))
	for i, source := range e.Captions {
		sources[i] = captionSource{CaptionSource: source, pace: p, n: i}
	}
	e.Captions = sources
	if e.Audio != nil {
		e.Audio = audioSource{AudioSource: e.Audio, pace: p}
	}
	if e.Lists != nil {
		e.Lists = listSource{ListSource: e.Lists, pace: p}
	}
	if _, byAPI := e.Discovery.(engine.ByAPI); e.Discovery != nil && !byAPI {
		e.Discovery = discovery{Discovery: e.Discovery, pace: p}
	}
	return e
}

// ErrHeldBack is wrapped by the error of a visit that was not made: the platform was not asked.
var ErrHeldBack = errors.New("throttle: the platform was not visited")

// ErrTooOften is wrapped by the error of a visit that was not made because of the pace alone: no
// platform blocks.
var ErrTooOften = errors.New("throttle: the pace permits no visit")

// ErrOpen is returned by Check while a platform is not asked.
var ErrOpen = errors.New("throttle: the circuit is open")

// Check returns ErrOpen while all caption sources that read the platform wait for a block of all
// exits to end. captions are the sources of the engine that Engine has returned.
func (p *Throttle) Check(captions []engine.CaptionSource, platform transcript.Platform) error {
	var err error
	for _, source := range captions {
		s, ours := source.(captionSource)
		if _, reads := source.Origin(platform); !ours || !reads {
			continue
		}
		if err = p.check(platform, s.n); err == nil {
			return nil
		}
	}
	return err
}

// CheckAudio is Check for the audio source.
func (p *Throttle) CheckAudio(platform transcript.Platform) error { return p.check(platform, audio) }

func (p *Throttle) check(platform transcript.Platform, source int) error {
	if p.queue(platform).blocked(source) != nil {
		return ErrOpen
	}
	return nil
}

// queue returns the queue of a platform, with the lanes of the current pool.
func (p *Throttle) queue(platform transcript.Platform) *queue {
	exits := p.exits()
	p.mu.Lock()
	q := p.queues[platform]
	if q == nil {
		q = newQueue(platform, p.rateOf(platform), p.log)
		p.queues[platform] = q
	}
	p.mu.Unlock()
	q.meet(exits)
	return q
}

type visitorKey struct{}

// InLine returns a context whose visits keep their place in line under a name. If a visit was
// told to come again later, and comes, it is served before all later visits. The place is kept
// for a minute longer than the visit was told. The accounts of the visit take turns with the
// accounts of other visits in line. A visit without accounts has a turn of its own.
//
// Visits without a name belong to readers, who wait for the answer and are not in line.
// While other visits are in line, readers get at most every second token.
func InLine(ctx context.Context, name string, accounts ...string) context.Context {
	return context.WithValue(ctx, visitorKey{}, visitor{name: name, accounts: accounts})
}

// BehindInLine is InLine for visits that are part of something long: they stand behind all
// visits of InLine, in any order of arrival. A name that comes again with InLine is no
// longer behind those visits.
func BehindInLine(ctx context.Context, name string, accounts ...string) context.Context {
	return context.WithValue(ctx, visitorKey{}, visitor{name: name, accounts: accounts, behind: true})
}

func visitorOf(ctx context.Context) visitor {
	v, _ := ctx.Value(visitorKey{}).(visitor)
	return v
}

type askingKey struct{}

// AsOne returns a context whose visits belong together: sources are asked one after another until
// one answers. Once one of them was visited, the next ones are visited at once, by the same exit
// unless it is blocked, and later visits of others wait for the tokens. Without AsOne, when tokens
// are scarce, each attempt would spend its token on the first source, which has nothing, and never
// reach the second.
func AsOne(ctx context.Context) context.Context {
	return context.WithValue(ctx, askingKey{}, new(asking))
}
