package throttle

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// mostExits limits the exits by which one visit is tried, so that it ends in time.
const mostExits = 10

// visit is one visit to a source of a platform. If the platform blocks one exit, or the exit does
// not work, the visit continues by the next one.
type visit struct {
	route
	throttle *Throttle
	queue    *queue
	who      visitor
	one      *asking // nil means that the visit does not belong to others
	tried    []*lane // the lanes by which it had no answer
}

// visit makes one visit if the platform has a token for it and a lane whose circuit is closed. A
// visit that an open circuit refuses takes no token.
func (p *Throttle) visit(ctx context.Context, platform transcript.Platform, r route, do func(ctx context.Context, answered func()) error) error {
	one, _ := ctx.Value(askingKey{}).(*asking)
	v := &visit{route: r, throttle: p, queue: p.queue(platform), who: visitorOf(ctx), one: one}
	if !v.queue.serves(r.source) {
		return noExit(platform)
	}
	g, err := v.enter(ctx)
	for err == nil {
		var block *transcript.Error
		if block, err = v.try(ctx, g, do); block == nil {
			return err
		}
		v.tried = append(v.tried, g.lane)
		g, err = v.next(ctx, block)
	}
	return err
}

// enter takes a token for the visit. A further visit of [AsOne] goes by the exit of the
// previous visit, if that exit is not blocked, and may use a future token.
func (v *visit) enter(ctx context.Context) (*grant, error) {
	if v.one != nil && v.one.begun.Load() {
		if g := v.queue.goOn(v.who, v.route, v.one.last.Load()); g != nil {
			return g, nil
		}
	}
	g, wait, err := v.queue.take(ctx, v.who, v.route)
	if g != nil || err != nil {
		return g, err
	}
	if block := v.queue.blocked(v.source); block != nil {
		return nil, heldBack(block, wait)
	}
	return nil, heldBack(tooOften(), wait)
}

// next takes a token of another exit after a block. If there is none soon, the visit gets the
// first place in line.
func (v *visit) next(ctx context.Context, block *transcript.Error) (*grant, error) {
	for len(v.tried) < mostExits {
		l, wait := v.queue.again(v.who, v.route, v.tried)
		if l == nil {
			break
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
		if g := v.queue.permit(l, v.route); g != nil {
			return g, nil
		}
		v.tried = append(v.tried, l) // another visit has found the block
	}
	wait := v.queue.stand(v.who, v.route, true)
	why := v.queue.blocked(v.source)
	if why == nil { // another exit is not blocked
		why = tooOften()
		why.Err = fmt.Errorf("%w: %w", why.Err, block)
	}
	return nil, refused(why, wait)
}

// try makes the visit by one lane. block is the platform's refusal, or says that the exit does
// not work.
func (v *visit) try(ctx context.Context, g *grant, do func(ctx context.Context, answered func()) error) (block *transcript.Error, err error) {
	if v.one != nil {
		v.one.begun.Store(true)
		defer func() {
			if block == nil {
				v.one.last.Store(g.lane)
			}
		}()
	}
	defer g.circuit.undecided(g.permit) // a decision below stands
	visiting, done := v.throttle.leaveBy(context.WithValue(ctx, underwayKey{}, underway{v, g.lane}), g.exit)
	defer done()
	err = do(visiting, func() { g.circuit.answered(ctx, g.permit) })
	var coded *transcript.Error
	answered := err == nil || errors.As(err, &coded) && coded.Code != transcript.IPBlocked && answers(coded.Code)
	switch {
	case answered:
		g.circuit.answered(ctx, g.permit)
	case coded != nil && coded.Code == transcript.IPBlocked:
		block = coded
	default:
		if failed := egress.ExitFailed(visiting); failed != nil {
			block = unreachable(failed)
		}
	}
	v.throttle.count(ctx, g.lane.name, block, answered)
	if block != nil {
		g.circuit.blocked(ctx, g.permit, block)
	}
	return block, err
}

type underwayKey struct{}

// underway is the visit of a context, and its lane.
type underway struct {
	*visit
	lane *lane
}

// oweMore counts a visit as n more visits by the same exit.
func oweMore(ctx context.Context, n int) {
	if u, ok := ctx.Value(underwayKey{}).(underway); ok {
		u.queue.oweMore(u.who, u.lane, n)
	}
}

// asking marks visits to several sources for one answer.
type asking struct {
	begun atomic.Bool
	last  atomic.Pointer[lane] // of the last visit that was not blocked
}

// answers reports whether an error is the platform's answer about a content. Other errors do
// not tell whether the platform blocks: they count as attempts of the job.
func answers(c transcript.Code) bool {
	return c != transcript.UpstreamFailed && c != transcript.ConfigError && c != transcript.Internal
}

// tooOften returns the error of a visit that the pace does not permit now.
func tooOften() *transcript.Error {
	const cure = "The operator can allow more visits."
	e := transcript.Errorf(transcript.IPBlocked, "This service may not visit the platform more often at the moment. "+cure).Because(ErrTooOften)
	e.Cure = cure
	return e
}

// errDead is wrapped by the error of an exit that does not work.
var errDead = errors.New("throttle: the exit does not work")

// unreachable returns the error of an exit that does not work.
func unreachable(err error) *transcript.Error {
	const cure = "The operator checks the proxies: transcriptd doctor --network."
	e := transcript.Errorf(transcript.IPBlocked, "This service's proxy does not work at the moment. "+cure).Because(fmt.Errorf("%w: %w", errDead, err))
	e.Cure = cure
	return e
}

// noExit returns the error of a visit for which the pool has no exit.
func noExit(platform transcript.Platform) error {
	const cure = "The operator adds an exit for this use to the pool."
	e := transcript.Errorf(transcript.ConfigError, "No exit of this service may be used for this visit to %s. "+cure, platform.Words())
	e.Cure = cure
	return e
}

// heldBack returns the error of a visit that is not made.
func heldBack(why *transcript.Error, wait time.Duration) error {
	e := *why
	if e.Err = ErrHeldBack; why.Err != nil {
		e.Err = fmt.Errorf("%w: %w", ErrHeldBack, why.Err)
	}
	return refused(&e, wait)
}

// refused returns the error of a visit without an answer: the reason, and when to come again.
func refused(why *transcript.Error, wait time.Duration) error {
	e := *why
	e.RetryAfter = max(1, int((wait+time.Second-1)/time.Second))
	return &e
}
