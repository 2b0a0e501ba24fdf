package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
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

// lastWait is how long a platform that blocks is waited for, and a full disk or a database that is away.
const lastWait = 6 * time.Hour

// longestLook is the most that passes between two looks at a full disk.
const longestLook = 5 * time.Minute

// fault settles a step that ended with an error: a transient one is tried again
// after a pause, a platform that blocks is waited for, and so are the service's own
// disks and database, which are not the work's fault; any other ends the work. The
// attempts of an extraction in recognition are those of
// its chunk with the most.
func (p *Pipeline) fault(ctx context.Context, t task, again db.Step, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	coded := codedError(cause)
	if room := p.Room(0); room != nil && transient(coded.Code) {
		coded = codedError(room) // what a program makes of a full disk can be anything
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
		next, pause, why := again, time.Duration(0), interrupted
		switch {
		case p.waits(e, coded):
			next, pause, why = same, p.untilNextLook(e, coded), blocked
		case !transient(coded.Code) || attempt >= maxAttempts:
			return p.fail(ctx, tx, e, coded)
		default:
			pause = p.untilNextAttempt(attempt, coded)
			if attempt >= e.Attempt { // no other chunk has failed as often
				why = attempted
			}
		}
		if err := goBack(ctx, tx, e, why); err != nil {
			return err
		}
		return repeat(ctx, tx, t, next, pause)
	})
	if errors.Is(err, errUnwanted) {
		return p.cleanUp(ctx, t.extraction)
	}
	if err != nil {
		return fmt.Errorf("pipeline: settling %w: %w", cause, err)
	}
	p.log.WarnContext(ctx, "a step failed", "extraction", t.extraction, "step", again.Kind(),
		"status", e.State.Status, "attempt", e.Attempt, "err", cause)
	return nil
}

// repeat queues a step again after a pause, in the place of the task's run.
func repeat(ctx context.Context, tx *db.Tx, t task, again db.Step, pause time.Duration) error {
	if err := tx.EnqueueAt(ctx, again, time.Now().Add(pause)); err != nil {
		return err
	}
	return tx.Finish(ctx, t.work)
}

// waits tells that the fault is a block, or one of the service's own parts, and
// that there is time left to wait.
func (p *Pipeline) waits(e *db.Extraction, cause *transcript.Error) bool {
	blocked := cause.Code == transcript.IPBlocked && (e.State == captionFetch || e.State == durationCheck)
	return (blocked || cause.Code == transcript.ServiceUnavailable) &&
		(e.WaitingSince == nil || time.Since(*e.WaitingSince) < p.cfg.lastWait)
}

// untilNextAttempt is how long to wait after an attempt, from 1: as long as
// its error asks for, or longer.
func (p *Pipeline) untilNextAttempt(attempt int, cause *transcript.Error) time.Duration {
	asked := min(cause.RetryAfter, int(mostPause/time.Second)) // a duration holds no more than 292 years
	return max(p.cfg.pauses[attempt-1], time.Duration(asked)*time.Second)
}

// untilNextLook is how long to leave a platform alone: for as long as the pace asks for,
// but not beyond the last wait. At a disk or a database the service looks again
// after a while that grows with the time it has waited.
func (p *Pipeline) untilNextLook(e *db.Extraction, cause *transcript.Error) time.Duration {
	waited := time.Duration(0)
	if e.WaitingSince != nil {
		waited = time.Since(*e.WaitingSince)
	}
	if cause.Code == transcript.ServiceUnavailable {
		return min(max(p.cfg.pauses[1], waited/4), longestLook)
	}
	asked := min(max(cause.RetryAfter, 1), int(p.cfg.lastWait/time.Second)) // a duration holds no more than 292 years
	return min(time.Duration(asked)*time.Second, p.cfg.lastWait-waited)
}

// codedError is the error as the job's owner reads it.
func codedError(cause error) *transcript.Error {
	shown := *withCode(cause)
	retryable := shown.RetryableJob()
	shown.Retryable = &retryable
	return &shown
}

// withCode is the coded error that a cause is or wraps. What carries no code is
// the service's own fault and none of the caller's business.
func withCode(cause error) *transcript.Error {
	var coded *transcript.Error
	if ownTrouble(cause) {
		return transcript.Errorf(transcript.ServiceUnavailable, "The service has no room on its disks, or no database, to do the work.").Because(cause)
	}
	if !errors.As(cause, &coded) {
		coded = transcript.Errorf(transcript.Internal, "The service failed to do the work.").Because(cause)
	}
	return coded
}

// ownTrouble tells that the service's own parts are to blame, not the work: the
// database is away, or a disk is full, wherever that was noticed.
func ownTrouble(cause error) bool {
	return errors.Is(cause, db.ErrUnavailable) || errors.Is(cause, syscall.ENOSPC) || errors.Is(cause, syscall.EDQUOT)
}

// transient reports whether another attempt may end better. A recognizer
// returns these codes for what passes (engine.Recognizer).
func transient(c transcript.Code) bool {
	return c == transcript.Internal || c == transcript.UpstreamFailed || c == transcript.RateLimited
}
