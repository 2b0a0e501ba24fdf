package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
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
	errUnwanted = errors.New("pipeline: this work is not wanted any longer")
	// errTakenOver ends a step that another process does now: ours was taken for
	// dead.
	errTakenOver = errors.New("pipeline: another process has taken this work over")
)

// extractionFunc works on an extraction that its transaction holds.
type extractionFunc func(ctx context.Context, tx *db.Tx, e *db.Extraction) error

// change runs fn in a transaction that holds an extraction; e is nil where there
// is none. The audio of one that has ended then is removed.
func (p *Pipeline) change(ctx context.Context, extraction string, fn extractionFunc) error {
	var e *db.Extraction
	err := p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if e, err = tx.Extractions.Lock(ctx, extraction); err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		return fn(ctx, tx, e)
	})
	if err == nil && e != nil && e.State.Status.Terminal() {
		p.deleteMedia(context.WithoutCancel(ctx), e)
	}
	return err
}

// own runs fn in a transaction that holds the extraction. It returns errTakenOver if
// another process does the step now, and errUnwanted if the extraction has ended or
// gone on. A step writes only through own: no other process can take the step over
// before the transaction ends, and a process that has lost the step cannot write.
//
// While the database is away own tries again until ctx ends: what a step has found
// may have cost minutes. A transaction whose commit got no answer is tried again too,
// so fn must do no harm when it runs twice.
func (p *Pipeline) own(ctx context.Context, t task, fn extractionFunc) error {
	for pause := leastPause; ; pause = min(2*pause, mostOwnPause) {
		err := p.ownNow(ctx, t, fn)
		if !errors.Is(err, db.ErrUnavailable) || !sleep(ctx, pause) {
			return err
		}
	}
}

// ownNow is own that does not wait for the database.
func (p *Pipeline) ownNow(ctx context.Context, t task, fn extractionFunc) error {
	return p.change(ctx, t.extraction, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		if e == nil {
			return errUnwanted
		}
		held, err := tx.Holds(ctx, t.work)
		switch {
		case err != nil:
			return err
		case !held:
			return errTakenOver
		case !slices.Contains(route(t.work.Kind), e.State):
			return errUnwanted
		}
		return fn(ctx, tx, e)
	})
}

// ownWanted is own that returns errUnwanted where the extraction has ended with fn: the
// step has nothing more to do.
func (p *Pipeline) ownWanted(ctx context.Context, t task, fn extractionFunc) error {
	var e *db.Extraction
	err := p.own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Extraction) error {
		e = locked
		return fn(ctx, tx, e)
	})
	if err == nil && e.State.Status.Terminal() {
		return errUnwanted
	}
	return err
}

// release gives a running step back because this process stops or was taken for
// dead: it is available at once, and the attempt does not count.
func (p *Pipeline) release(ctx context.Context, t task) error {
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	err := p.own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		return p.takeBack(ctx, tx, e, []db.Work{t.work}, interrupted)
	})
	if err != nil && !errors.Is(err, errUnwanted) {
		return fmt.Errorf("pipeline: releasing work: %w", err)
	}
	return fmt.Errorf("pipeline: the service stops: %w", context.Canceled) // gives the step back (db.Runner)
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
