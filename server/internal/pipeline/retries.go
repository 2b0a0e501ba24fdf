package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxAttempts is how often work is tried before it fails.
const maxAttempts = 4

// pauses are waited after the first, second and third failed attempt.
func pauses() [maxAttempts - 1]time.Duration {
	return [...]time.Duration{2 * time.Second, 8 * time.Second, 30 * time.Second}
}

// mostPause is the longest pause that a recognizer may ask for with RetryAfter.
const mostPause = 10 * time.Minute

// settleTimeout bounds how long the fault of a step waits for the database. Then
// the queue runs the step again.
const settleTimeout = time.Minute

// lastWait is how long work waits for a platform that blocks, for room on a disk, for
// the database, or for the recognizer.
const lastWait = 6 * time.Hour

// longestLook is the longest pause between two looks at a full disk, or at what is away.
const longestLook = 5 * time.Minute

// fault decides what follows from the error of a step. A block of the platform, a full
// disk, a database or a recognizer that is away is waited for, without counting an attempt. Another
// error that may pass is tried again, up to maxAttempts times. Any other ends the
// extraction. Chunks count their attempts each for itself; the extraction shows the
// largest count.
func (p *Pipeline) fault(ctx context.Context, t task, again db.Step, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	coded := fault.OfJob(cause)
	if room := p.Room(0); room != nil && fault.Passes(coded.Code) {
		coded = fault.OfJob(room) // what a program makes of a full disk can be anything
	}
	same, tries := again, 0 // those of the extraction
	if chunk, ok := again.(recognizeArgs); ok {
		chunk.Failed++
		tries, again = chunk.Failed, chunk
	}
	var e *db.Extraction
	err := p.own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Extraction) error {
		e = locked
		attempt := cmp.Or(tries, e.Attempt)
		now, err := tx.Now(ctx)
		switch {
		case err != nil:
			return err
		case p.waits(e, coded, now):
			return p.repeat(ctx, tx, e, t, same, blocked, p.untilNextLook(e.WaitingSince, coded, now))
		case !fault.Passes(coded.Code) || attempt >= maxAttempts:
			return p.fail(ctx, tx, e, coded)
		case attempt < e.Attempt: // another chunk has failed more often
			return p.repeat(ctx, tx, e, t, again, interrupted, p.untilNextAttempt(attempt, coded))
		}
		return p.repeat(ctx, tx, e, t, again, attempted, p.untilNextAttempt(attempt, coded))
	})
	if errors.Is(err, errUnwanted) {
		return p.cleanUp(ctx, t.extraction)
	}
	if err != nil {
		return fmt.Errorf("pipeline: settling %w: %w", cause, err)
	}
	level := slog.LevelWarn
	if errors.Is(cause, pace.ErrHeldBack) { // nothing was tried
		level = slog.LevelDebug
	}
	p.log.Log(ctx, level, "a step failed", "extraction", t.extraction, "step", again.Kind(),
		"status", e.State.Status, "attempt", e.Attempt, "err", cause)
	return nil
}

// repeat moves an extraction back, queues a step again after a pause, and finishes the
// present run of the task.
func (p *Pipeline) repeat(ctx context.Context, tx *db.Tx, e *db.Extraction, t task, again db.Step, why setback, pause time.Duration) error {
	if err := p.goBack(ctx, tx, e, why); err != nil {
		return err
	}
	if err := tx.EnqueueAt(ctx, again, time.Now().Add(pause)); err != nil {
		return err
	}
	return tx.Finish(ctx, t.work)
}

// waits reports whether the fault is to be waited for, and there is time left to do so.
// now is by the database's clock, as is the time since when the work waits.
func (p *Pipeline) waits(e *db.Extraction, cause *transcript.Error, now time.Time) bool {
	blocked := cause.Code == transcript.IPBlocked && (e.State == captionFetch || e.State == durationCheck)
	return (blocked || cause.Code == transcript.ServiceUnavailable) &&
		(e.WaitingSince == nil || now.Sub(*e.WaitingSince) < p.cfg.lastWait)
}

// untilNextAttempt is the pause after an attempt, counted from 1. It is not shorter
// than the error asks for.
func (p *Pipeline) untilNextAttempt(attempt int, cause *transcript.Error) time.Duration {
	asked := min(cause.RetryAfter, int(mostPause/time.Second)) // a duration holds no more than 292 years
	return max(p.cfg.pauses[attempt-1], time.Duration(asked)*time.Second)
}

// untilNextLook is the pause before work that waits is tried again. A platform is left
// alone for as long as it or the pace asks for, within lastWait. At a disk, a database
// or a recognizer the service looks again after a pause that grows with the time waited.
// It has waited since a moment by the same clock as now; nil: not yet.
func (p *Pipeline) untilNextLook(since *time.Time, cause *transcript.Error, now time.Time) time.Duration {
	waited := time.Duration(0)
	if since != nil {
		waited = now.Sub(*since)
	}
	if cause.Code == transcript.ServiceUnavailable {
		return min(max(p.cfg.pauses[1], waited/4), longestLook)
	}
	asked := min(max(cause.RetryAfter, 1), int(p.cfg.lastWait/time.Second)) // a duration holds no more than 292 years
	return min(time.Duration(asked)*time.Second, p.cfg.lastWait-waited)
}
