package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// task is one run of a step.
type task struct {
	extraction string
	work       db.Work // the run of the queue, which proves whose the step is
	dir        string  // for scratch files
}

// The pauses of a step that waits for its database.
const (
	leastPause   = 100 * time.Millisecond
	mostOwnPause = 2 * time.Second
)

var (
	// errUnwanted ends a step whose extraction has ended, because the last claim on
	// it was cancelled, or has gone on without it.
	errUnwanted = errors.New("pipeline: nobody wants this work any more")
	// errTakenOver ends a step that another process does now: ours was taken for
	// dead.
	errTakenOver = errors.New("pipeline: another process has taken this work over")
)

// own runs fn in a transaction that holds the extraction, if the step is still
// the task's to do. All that a step writes is written here: no other process can
// take the step over before the transaction ends, and none that has lost it can
// write.
//
// It waits for a database that is away, until ctx ends: what a step has found
// may have cost minutes. So fn may have been committed before it runs again, and
// must see that from the extraction.
func (p *Pipeline) own(ctx context.Context, t task, fn ending) error {
	for pause := leastPause; ; pause = min(2*pause, mostOwnPause) {
		err := p.ownNow(ctx, t, fn)
		if !errors.Is(err, db.ErrUnavailable) || !sleep(ctx, pause) {
			return err
		}
	}
}

// ending is what a step does in the end, or in the beginning, with its
// extraction.
type ending func(context.Context, *db.Tx, *db.Extraction) error

// ownNow is own that does not wait for the database.
func (p *Pipeline) ownNow(ctx context.Context, t task, fn ending) error {
	return p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		e, err := tx.LockExtraction(ctx, t.extraction)
		if errors.Is(err, db.ErrNotFound) {
			return errUnwanted
		}
		if err != nil {
			return err
		}
		held, err := tx.Holds(ctx, t.work)
		if err != nil {
			return err
		}
		if !held {
			return errTakenOver
		}
		return fn(ctx, tx, e)
	})
}

// ownIn is own for an extraction that must be where the step has left it.
func (p *Pipeline) ownIn(ctx context.Context, t task, state transcript.State, fn ending) error {
	return p.own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		if e.State != state {
			return errUnwanted
		}
		return fn(ctx, tx, e)
	})
}

// release gives a running step back because this process stops or was taken for
// dead: it is available at once, and the attempt does not count (J14).
func (p *Pipeline) release(ctx context.Context, t task) error {
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	err := p.own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		return takeBack(ctx, tx, e, []db.Work{t.work}, false)
	})
	if err != nil && !errors.Is(err, errUnwanted) {
		return fmt.Errorf("pipeline: releasing work: %w", err)
	}
	return fmt.Errorf("pipeline: the service stops: %w", context.Canceled) // gives the step back (db.Runner)
}

// takeOver puts the lost work of one extraction into the queue again (J14). Work
// that was lost too often is not tried again: it may be what ends the processes.
func (p *Pipeline) takeOver(ctx context.Context, extraction string, lost []db.Work, counts bool) error {
	var e *db.Extraction
	var taken []db.Work
	err := p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		taken = nil
		if e, err = tx.LockExtraction(ctx, extraction); err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		for _, w := range lost {
			ours, err := tx.Requeue(ctx, w)
			if err != nil {
				return err
			}
			if ours {
				taken = append(taken, w)
			}
		}
		if e == nil || len(taken) == 0 || !counts {
			return nil
		}
		return takeBack(ctx, tx, e, taken, true)
	})
	if err != nil {
		return fmt.Errorf("pipeline: taking over work: %w", err)
	}
	for _, w := range taken {
		p.log.WarnContext(ctx, "lost work is taken up again", "extraction", extraction, "step", w.Kind)
	}
	if len(taken) > 0 && e != nil && e.State.Status.Terminal() {
		p.deleteMedia(ctx, e.ID, e.MediaKey)
	}
	return nil
}

// takeBack moves an extraction back to where the lost step begins, if one of the
// runs was at the step that it is in: others had ended but for a note in the queue.
func takeBack(ctx context.Context, tx *db.Tx, e *db.Extraction, runs []db.Work, counts bool) error {
	if !slices.ContainsFunc(runs, func(w db.Work) bool { return e.State == stateOf(w.Kind) }) {
		return nil
	}
	if counts && e.Attempt >= maxAttempts {
		lost := codedError(transcript.Errorf(transcript.Internal, "The work was interrupted too often."))
		return tx.Move(ctx, e, db.Change{To: failed, Error: lost})
	}
	return tx.Move(ctx, e, db.Change{To: before(e.State), Retry: counts})
}

// sleep waits; false: ctx has ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
