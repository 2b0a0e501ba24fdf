package throttle

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Exit is the health of one of the ways out of the service.
type Exit struct {
	Name     string
	Answered int64 // visits that the platform answered
	Blocked  int64 // visits that the platform refused
	Failed   int64 // visits without an answer, for another reason
	Open     int   // its open circuits, one for each platform and source that does not get visits by it
}

// Exits returns the health of the exits of the current pool, in the order of the pool. If the
// pool loses an exit, the counts of the exit are lost too.
func (p *Throttle) Exits() (all []Exit) {
	pool := p.exits()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(pool)
	for _, exit := range pool {
		e := Exit{Name: nameOf(exit)}
		if counted := p.counts[e.Name]; counted != nil {
			e = *counted
		}
		for _, q := range p.queues {
			e.Open += q.open(e.Name)
		}
		all = append(all, e)
	}
	return all
}

// count counts the end of a visit by an exit. A visit whose caller has left counts nothing.
func (p *Throttle) count(ctx context.Context, exit string, block *transcript.Error, answered bool) {
	if ctx.Err() != nil && block == nil && !answered {
		return
	}
	pool := p.exits()
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.counts[exit]
	if e == nil {
		e = &Exit{Name: exit}
		p.counts[exit] = e
		p.forget(pool)
	}
	switch {
	case answered:
		e.Answered++
	case block != nil && !errors.Is(block, errDead):
		e.Blocked++
	default:
		e.Failed++
	}
}

// forget drops the counts of exits that the pool no longer has. The caller holds mu.
func (p *Throttle) forget(pool []*egress.Exit) {
	maps.DeleteFunc(p.counts, func(name string, _ *Exit) bool {
		return !slices.ContainsFunc(pool, func(e *egress.Exit) bool { return nameOf(e) == name })
	})
}

// exits returns the current pool, or nil if the service connects directly.
func (p *Throttle) exits() []*egress.Exit {
	if p.guard == nil {
		return []*egress.Exit{nil}
	}
	return p.guard.Exits()
}

// nameOf returns the name of an exit.
func nameOf(e *egress.Exit) string {
	if e == nil {
		return "direct"
	}
	return e.Name()
}

// leaveBy returns the context of a visit that leaves by an exit. The caller calls done after the
// visit.
func (p *Throttle) leaveBy(ctx context.Context, e *egress.Exit) (visiting context.Context, done func()) {
	if e == nil {
		return ctx, func() {}
	}
	return p.guard.Visit(ctx, e)
}
