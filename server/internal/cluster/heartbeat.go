package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

const (
	// beatEvery is the pause between two heartbeats.
	beatEvery = 5 * time.Second
	// beatAgain is the pause after a heartbeat that the database refused.
	beatAgain = time.Second
	// abandonTimeout limits the wait for running steps after the other processes have
	// considered this process dead. A step that still runs after that cannot write, because
	// the database refuses its writes.
	abandonTimeout = 30 * time.Second
)

// Life is the membership of a working process: its runner for the queue and its
// heartbeat. If the other processes consider this process dead, it returns with a new
// runner under a new name. A Life is safe for concurrent use.
type Life struct {
	join func(process string) (queue.Runner, error)
	log  *slog.Logger

	mu       sync.Mutex
	process  string // the name of runner
	runner   queue.Runner
	stopping bool
}

// NewLife prepares the first runner. The function join makes a runner under a name that
// is unique among all processes.
func NewLife(join func(process string) (queue.Runner, error), log *slog.Logger) (*Life, error) {
	l := &Life{join: join, log: log}
	var err error
	l.process, l.runner, err = l.next()
	return l, err
}

func (l *Life) next() (process string, runner queue.Runner, err error) {
	name, err := uuid.NewV7()
	if err != nil {
		return "", nil, fmt.Errorf("naming the process: %w", err)
	}
	if runner, err = l.join(name.String()); err != nil {
		return "", nil, fmt.Errorf("preparing the workers: %w", err)
	}
	return name.String(), runner, nil
}

// Among reports whether the process is one of the living. If it is not, the other processes
// have considered it dead, and the next heartbeat will show this.
func (l *Life) Among(living []queue.Process) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(living, func(p queue.Process) bool { return p.ID == l.process })
}

// Runner returns the current runner.
func (l *Life) Runner() queue.Runner {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runner
}

// Beat sends heartbeats until ctx ends.
func (l *Life) Beat(ctx context.Context) {
	for pause := beatEvery; attempt.Sleep(ctx, pause); {
		pause = beatEvery
		err := l.Runner().Beat(ctx)
		if errors.Is(err, queue.ErrTakenForDead) {
			l.log.WarnContext(ctx, "this process stood still for so long that others do its work; it comes back", "err", err)
			err = l.comeBack(ctx)
		}
		if err != nil && ctx.Err() == nil {
			l.log.ErrorContext(ctx, "the heartbeat failed", "err", err)
			pause = beatAgain
		}
	}
}

// comeBack ends the running steps, which other processes now run, and starts a new
// runner. After an error the caller calls it again.
func (l *Life) comeBack(ctx context.Context) error {
	end, cancel := context.WithTimeout(ctx, abandonTimeout)
	defer cancel()
	if err := l.Runner().Stop(end); err != nil {
		l.log.ErrorContext(ctx, "steps do not end", "err", err)
	}
	l.mu.Lock() // Stop is waiting, and must stop the runner that continues
	defer l.mu.Unlock()
	if l.stopping {
		return nil
	}
	process, next, err := l.next()
	if err != nil {
		return err
	}
	if err := next.Start(ctx); err != nil {
		return err
	}
	l.process, l.runner = process, next
	return nil
}

// Stop stops the current runner and waits for its steps, at most until ctx ends. After
// Stop no new runner starts. Stop may be called again after an error.
func (l *Life) Stop(ctx context.Context) error {
	l.mu.Lock()
	l.stopping = true
	runner := l.runner
	l.mu.Unlock()
	return runner.Stop(ctx)
}
