package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// task is one run of a step.
type task struct {
	extraction string
	work       queue.Row // the run of the queue, which proves whose the step is
	dir        string    // for scratch files
}

// The pauses of a step that waits for its database.
const (
	leastPause   = 100 * time.Millisecond
	mostOwnPause = 2 * time.Second
)

var (
	// errTakenOver ends a step that another process runs now, because this process was
	// taken for dead.
	errTakenOver = errors.New("pipeline: another process has taken this work over")
)

// own runs fn in a transaction that holds the extraction. It returns errTakenOver if
// another process does the step now, and attempt.ErrUnwanted if the extraction has ended or
// gone on. A step writes only through own. No other process can take the step over before
// the transaction ends, and a process that has lost the step cannot write.
//
// While the database is away, own tries again until ctx ends, because the results of a step
// may have cost minutes. A transaction is also tried again if its commit got no answer, so
// fn must do no harm when it runs twice.
func (p *processor) own(ctx context.Context, t task, fn extractionFunc) error {
	for pause := leastPause; ; pause = min(2*pause, mostOwnPause) {
		err := p.ownNow(ctx, t, fn)
		if !errors.Is(err, db.ErrUnavailable) || !attempt.Sleep(ctx, pause) {
			return err
		}
	}
}

// ownNow is own that does not wait for the database.
func (p *processor) ownNow(ctx context.Context, t task, fn extractionFunc) error {
	return p.claims.change(ctx, t.extraction, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		if e == nil {
			return attempt.ErrUnwanted
		}
		held, err := tx.Queue.Holds(ctx, t.work)
		switch {
		case err != nil:
			return err
		case !held:
			return errTakenOver
		case !slices.Contains(route(t.work.Kind), e.State):
			return attempt.ErrUnwanted
		}
		return fn(ctx, tx, e)
	})
}

// ownWanted is own that returns attempt.ErrUnwanted where the extraction has ended with fn: the
// step has nothing more to do.
func (p *processor) ownWanted(ctx context.Context, t task, fn extractionFunc) error {
	var e *db.Extraction
	err := p.own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Extraction) error {
		e = locked
		return fn(ctx, tx, e)
	})
	if err == nil && e.State.Status.Terminal() {
		return attempt.ErrUnwanted
	}
	return err
}

// release gives a running step back because this process stops or was taken for
// dead: it is available at once, and the attempt does not count.
func (p *processor) release(ctx context.Context, t task) error {
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	err := p.own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		return p.claims.takeBack(ctx, tx, e, []queue.Row{t.work}, false)
	})
	if err != nil && !errors.Is(err, attempt.ErrUnwanted) {
		return fmt.Errorf("pipeline: releasing work: %w", err)
	}
	return fmt.Errorf("pipeline: the service stops: %w", context.Canceled) // gives the step back (queue.Runner)
}
