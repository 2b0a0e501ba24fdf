package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

const (
	beatEvery = 5 * time.Second
	// beatAgain is the pause after a beat that the database has not taken.
	beatAgain = time.Second
	// abandonTimeout is how long the steps of a process that was taken for dead may
	// take to end before it comes back without them. What they write is refused.
	abandonTimeout = 30 * time.Second
)

// newLife prepares a runner under a name of its own. A process has one life after
// the other: taken for dead, it comes back under a new name.
func (p *Pipeline) newLife() (db.Runner, error) {
	name, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("naming the process: %w", err)
	}
	workers := p.workers(name.String())
	if workers.Abilities, err = json.Marshal(p.abilities); err != nil {
		return nil, fmt.Errorf("saying what the process can do: %w", err)
	}
	runner, err := p.store.NewRunner(workers)
	if err != nil {
		return nil, fmt.Errorf("preparing the workers: %w", err)
	}
	return runner, nil
}

// life is the current one's runner.
func (p *Pipeline) life() db.Runner {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runner
}

// live tells the other processes that this one lives, until ctx ends.
func (p *Pipeline) live(ctx context.Context) {
	for pause := beatEvery; sleep(ctx, pause); {
		pause = beatEvery
		err := p.life().Beat(ctx)
		if errors.Is(err, db.ErrTakenForDead) {
			p.log.WarnContext(ctx, "this process stood still for so long that others do its work; it comes back", "err", err)
			err = p.comeBack(ctx)
		}
		if err != nil && ctx.Err() == nil {
			p.log.ErrorContext(ctx, "the heartbeat failed", "err", err)
			pause = beatAgain
		}
	}
}

// comeBack ends the steps, which others do now, and begins another life. After
// an error it is to be called again.
func (p *Pipeline) comeBack(ctx context.Context) error {
	end, cancel := context.WithTimeout(ctx, abandonTimeout)
	defer cancel()
	if err := p.life().Stop(end); err != nil {
		p.log.ErrorContext(ctx, "steps do not end", "err", err)
	}
	p.mu.Lock() // Stop waits: it must find the life that goes on
	defer p.mu.Unlock()
	if p.stopping {
		return nil
	}
	next, err := p.newLife()
	if err != nil {
		return err
	}
	if err := next.Start(ctx); err != nil {
		return err
	}
	p.runner = next
	return nil
}
