// Package pace keeps a service welcome on the platforms it visits: no more
// visits than a rate, and none while a platform blocks.
//
//	p, err := pace.New(pace.Config{}, log)
//	eng = p.Engine(eng) // its sources now keep the pace
//
// A visit is one call of a caption source, of an audio source, of a list source or of
// discovery; but to describe videos is a visit to each of them. All visits to a platform share one token bucket. Each source has a circuit breaker for each
// platform: an answer of IP_BLOCKED opens it for as long as the platform asks
// for, else for 30 s, and while the block goes on for twice as long each time, up
// to 10 min, or up to an hour where the platform asks for 10 min or more. After
// that one visit finds out whether the platform answers again.
//
// A visit that may not be made now fails with IP_BLOCKED, and RetryAfter says
// when to come again. Where several sources are asked for one answer ([AsOne]), only
// the first visit can be held back by the rate. Those who wait in line ([InLine]) are told times one after
// the other, so that they do not all come at once. While they wait, visits outside of the
// line get at most every second token.
//
// A platform judges by the address that visits it. Bucket and breakers belong to
// one process: processes that leave by one address share its reputation, and
// their rates add up.
package pace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Config says how often platforms are visited. The zero value suits public sites:
// the largest of them lets a guest see about 300 contents an hour.
type Config struct {
	// Rate is that of each platform which Rates does not name.
	Rate Rate
	// Rates are those of single platforms.
	Rates map[transcript.Platform]Rate
}

// Rate bounds the visits to a platform: in any time there are no more than Burst
// and PerMinute for each minute of it, but for what is made early of [AsOne] and of
// questions for several videos, for which later visits wait longer.
type Rate struct {
	PerMinute float64 // 0: 5; math.Inf(1): no bound
	Burst     int     // the visits that may be made at once after a rest; 0: 5
}

// Unlimited is the rate of a site that may be visited at will, such as one's own.
// Its blocks are heeded all the same.
func Unlimited() Rate { return Rate{PerMinute: math.Inf(1)} }

func (r Rate) withDefaults() (Rate, error) {
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

// Pace keeps the pace of one process. Safe for concurrent use.
type Pace struct {
	cfg Config
	log *slog.Logger

	mu       sync.Mutex
	buckets  map[transcript.Platform]*bucket
	circuits map[route]*circuit
}

// route is one way to a platform.
type route struct {
	platform transcript.Platform
	source   int // the caption source's place in the engine; or audio, lists or discovers
}

// The sources of a route for sound, for lists, and for discovery.
const (
	audio     = -1
	lists     = -2
	discovers = -3
)

// Their names in the log.
const (
	audioName     = "audio"
	listsName     = "lists"
	discoveryName = "discovery"
)

// New checks the configuration. log receives a line when a circuit opens or
// closes; nil: nothing is logged.
func New(c Config, log *slog.Logger) (*Pace, error) {
	var err error
	if c.Rate, err = c.Rate.withDefaults(); err != nil {
		return nil, err
	}
	rates := make(map[transcript.Platform]Rate, len(c.Rates))
	for platform, r := range c.Rates {
		if rates[platform], err = r.withDefaults(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, platform)
		}
	}
	c.Rates = rates
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Pace{cfg: c, log: log, buckets: map[transcript.Platform]*bucket{}, circuits: map[route]*circuit{}}, nil
}

// Engine is e, whose caption, audio and list sources keep the pace, and so does its
// discovery, unless that is [engine.ByAPI]. It is called once.
func (p *Pace) Engine(e engine.Engine) engine.Engine {
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

// ErrHeldBack is wrapped by the error of a visit that was not made: the platform has
// not been asked.
var ErrHeldBack = errors.New("pace: the platform was not visited")

// ErrOpen is what Check returns while a platform is not asked.
var ErrOpen = errors.New("pace: the circuit is open")

// Check returns ErrOpen while every one of the caption sources that reads the
// platform waits for its block to pass. They are of what Engine has returned.
func (p *Pace) Check(captions []engine.CaptionSource, platform transcript.Platform) error {
	var err error
	for _, source := range captions {
		s, ours := source.(captionSource)
		origin, reads := source.Origin(platform)
		if !ours || !reads {
			continue
		}
		if wait, _ := p.circuit(route{platform, s.n}, string(origin)).remaining(); wait == 0 {
			return nil
		}
		err = ErrOpen
	}
	return err
}

// CheckAudio is Check for the source of sound.
func (p *Pace) CheckAudio(platform transcript.Platform) error {
	if wait, _ := p.circuit(route{platform, audio}, audioName).remaining(); wait > 0 {
		return ErrOpen
	}
	return nil
}

type visitorKey struct{}

// InLine returns a context whose visits keep their place in line under a name: one
// that was told to come again later, and comes, is served before those that came
// after it. A place is kept for a minute longer than was told. The accounts that the visit
// is made for take turns with those of the others in line; without any, the visit has a
// turn of its own.
//
// Visits without a name are those of readers, who wait for the answer and do not stand in
// line. While others do, readers get at most every second token.
func InLine(ctx context.Context, name string, accounts ...string) context.Context {
	return context.WithValue(ctx, visitorKey{}, visitor{name: name, accounts: accounts})
}

// BehindInLine is InLine of visits that stand behind all those which do not, whichever
// came first: they are part of something long. A name that comes back with InLine stands
// behind no more.
func BehindInLine(ctx context.Context, name string, accounts ...string) context.Context {
	return context.WithValue(ctx, visitorKey{}, visitor{name: name, accounts: accounts, behind: true})
}

func visitorOf(ctx context.Context) visitor {
	v, _ := ctx.Value(visitorKey{}).(visitor)
	return v
}

type askingKey struct{}

// asking is what several sources are asked for, one after the other.
type asking struct{ begun atomic.Bool }

// AsOne returns a context whose visits belong together: sources are asked one after the
// other until one answers. Once one of them was visited, those after it are visited at
// once, and the next visits of others wait for it. Else, where visits are short, each
// attempt would spend its token on the first source, which has nothing, and never come
// to the second.
func AsOne(ctx context.Context) context.Context {
	return context.WithValue(ctx, askingKey{}, new(asking))
}
