package pipeline

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// Processes that share a database need not be able to do the same. Each takes the
// queues whose steps it can do, and leaves a step that it has taken and cannot do, such
// as a chunk in a language that its recognizer does not know, to the others. What
// nobody living can do ends with that.

// teamAge is how old what is known of the other processes may be.
const teamAge = 2 * time.Second

// others are the living processes as they were last seen.
type others struct {
	mu     sync.Mutex
	read   time.Time
	living team
}

// seen are the processes that live, this one among them if it works, as they were no
// longer than age ago. A database that is away says nothing new.
func (p *Pipeline) seen(ctx context.Context, age time.Duration) team {
	if !p.store.Shared() {
		return nil
	}
	o := &p.others
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.read) < age {
		return o.living
	}
	all, err := p.store.Processes(context.WithoutCancel(ctx)) // others wait for it too
	o.read = time.Now()
	if err != nil {
		p.log.WarnContext(ctx, "what the other processes can do is not known", "err", err)
		return o.living
	}
	o.living = nil
	for _, process := range all {
		if process.Silent < silence {
			o.living = append(o.living, readAbilities(process.Abilities))
		}
	}
	return o.living
}

// team are all processes that work, this one first. Where none does, as all are being
// restarted, say, nothing is known of those that will: work waits for them.
func (p *Pipeline) team(ctx context.Context) team { return p.teamSeen(ctx, teamAge) }

func (p *Pipeline) teamSeen(ctx context.Context, age time.Duration) team {
	switch all := p.seen(ctx, age); {
	case !p.cfg.Idle:
		return append(team{p.abilities}, all...)
	case len(all) == 0:
		return team{{unknown: true}}
	default:
		return all
	}
}

// onlyOthers tells that this process cannot do what another one can. That nobody can
// is said only after a fresh look.
func (p *Pipeline) onlyOthers(ctx context.Context, can func(team) bool) bool {
	return !can(team{p.abilities}) && (can(p.team(ctx)) || can(p.teamSeen(ctx, 0)))
}

// forOthers tells that a step is one that only others can do.
func (p *Pipeline) forOthers(ctx context.Context, s step) bool {
	if !p.store.Shared() {
		return false
	}
	e, err := p.store.Extraction(ctx, s.extraction())
	if err != nil {
		return false // the step finds the same
	}
	return p.onlyOthers(ctx, func(t team) bool {
		switch s := s.(type) {
		case captionsArgs:
			return t.readsCaptions(e.Platform)
		case prepareArgs:
			return t.prepares(s.Link)
		case recognizeArgs:
			return t.canRecognize(onlyASR(subjectOfExtraction(e).asrLanguage())) == nil
		}
		return true
	})
}

// needs says what a process must be able to do for the steps of a queue.
func needs(queue string) func(abilities) bool {
	switch queue {
	case queueCaptions, queueLookups:
		return func(a abilities) bool { return len(a.Captions) > 0 }
	case queueDiscovery:
		return func(a abilities) bool { return a.Discovery }
	case queueDownload:
		return func(a abilities) bool { return a.Audio && a.Media }
	case queueMedia:
		return func(a abilities) bool { return a.Media }
	case queueASR:
		return func(a abilities) bool { return a.Recognizer != nil }
	}
	return func(abilities) bool { return true }
}

// takes tells that this process takes steps from a queue: it can do them, or nobody
// can, and they are to end with that. Calls of hooks wait for who has them.
func (p *Pipeline) takes(queue string) bool {
	switch queue {
	case queueJobHook:
		return p.cfg.Hooks.Job != nil
	case queueBatchHook:
		return p.cfg.Hooks.Batch != nil
	}
	need := needs(queue)
	return need(p.abilities) || !p.team(context.Background()).anyone(need)
}

// elsewherePause is how long a step rests that is left to another process.
const elsewherePause = time.Second

// leave puts a step back into the queue for a process that can do it. The attempt does
// not count, and the extraction stays where it is.
func (p *Pipeline) leave(ctx context.Context, t task, again db.Step) error {
	err := p.own(ctx, t, func(ctx context.Context, tx *db.Tx, _ *db.Extraction) error {
		if err := tx.EnqueueAt(ctx, again, time.Now().Add(elsewherePause)); err != nil {
			return err
		}
		return tx.Finish(ctx, t.work)
	})
	switch {
	case errors.Is(err, errUnwanted):
		return p.cleanUp(ctx, t.extraction)
	case errors.Is(err, errTakenOver):
		return nil // then somebody does it
	}
	return err
}
