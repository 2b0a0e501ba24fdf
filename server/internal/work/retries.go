package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/recognize"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// settleTimeout limits how long the fault of a step waits for the database. Then the
// queue runs the step again.
const settleTimeout = time.Minute

// fault decides what an error of a step causes. For a block of the platform, a full disk, or a
// database or recognizer that is not available, the work waits without counting an attempt. Another
// temporary error is tried again, up to attempt.MaxAttempts times. Any other error ends the work.
// Each chunk counts its own attempts, and so does the step that tells speakers apart; the work shows
// the largest count.
func (p *processor) fault(ctx context.Context, t step.Held, again queue.Step, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	coded := attempt.OfJob(cause)
	if room := p.Disks.Room(0); room != nil && attempt.Transient(coded.Code) {
		coded = attempt.OfJob(room) // a program may report a full disk in any way
	}
	same, tries := again, 0 // those of the work
	switch s := again.(type) {
	case step.Recognize:
		s.Failed++
		tries, again = s.Failed, s
	case step.TellSpeakers:
		s.Failed++
		tries, again = s.Failed, s
	}
	var e *db.Work
	err := p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Work) error {
		e = locked
		nth := cmp.Or(tries, e.Attempt)
		now, err := tx.Now(ctx)
		why := attempt.Last(coded, nth, now)
		switch {
		case err != nil:
			return err
		case p.waits(e, coded, now):
			pause, err := p.untilNextLook(ctx, tx, e, cause, coded, now)
			if err != nil {
				return err
			}
			return p.repeat(ctx, tx, e, t, same, intake.Blocked, why, pause)
		case !attempt.Transient(coded.Code) || nth >= attempt.MaxAttempts:
			return p.Moves.Fail(ctx, tx, e, coded)
		case nth < e.Attempt: // another chunk has failed more often
			return p.repeat(ctx, tx, e, t, again, intake.Interrupted, why, p.Pauses.UntilNextAttempt(nth, coded))
		}
		return p.repeat(ctx, tx, e, t, again, intake.Attempted, why, p.Pauses.UntilNextAttempt(nth, coded))
	})
	if errors.Is(err, attempt.ErrUnwanted) {
		return p.cleanUp(ctx, t.Work)
	}
	if err != nil {
		return fmt.Errorf("work: settling %w: %w", cause, err)
	}
	level := slog.LevelWarn
	if errors.Is(cause, throttle.ErrHeldBack) { // nothing was tried
		level = slog.LevelDebug
	}
	p.Log.Log(ctx, level, "a step failed", "extraction", t.Work, "step", again.Kind(),
		"status", e.State.Status, "attempt", e.Attempt, "err", cause)
	return nil
}

// repeat moves a piece of work back and says why, queues a step again after a pause, and finishes
// the current run of the task.
func (p *processor) repeat(ctx context.Context, tx *db.Tx, e *db.Work, t step.Held, again queue.Step, how intake.Setback, why *transcript.LastError, pause time.Duration) error {
	if err := p.Moves.GoBack(ctx, tx, e, how, why); err != nil {
		return err
	}
	_, err := tx.Queue.RunAgain(ctx, t.Row, again, pause)
	return err
}

// waits reports whether the fault is to be waited for, and there is time left to do so.
// now is by the database's clock, as is the time since when the work waits.
func (p *processor) waits(e *db.Work, cause *transcript.Error, now time.Time) bool {
	blocked := cause.Code == transcript.IPBlocked && (e.State == step.CaptionFetch || e.State == step.DurationCheck)
	return (blocked || cause.Code == transcript.ServiceUnavailable) && p.Pauses.MayWait(e.WaitingSince, now)
}

// lookForJobs is the pause of a step whose jobs all wait for blocked captions, if the service
// recognizes such sound for other plans: a job of another plan may have joined meanwhile.
const lookForJobs = time.Minute

// untilNextLook is the pause before a step that waits runs again. It ends when captions have been
// blocked for long enough to recognize the sound.
func (p *processor) untilNextLook(ctx context.Context, tx *db.Tx, e *db.Work, cause error, coded *transcript.Error, now time.Time) (time.Duration, error) {
	pause := p.Pauses.UntilNextLook(e.WaitingSince, coded, now)
	if e.State != step.CaptionFetch || !recognize.BlocksCaptions(cause) {
		return pause, nil
	}
	patience, err := p.Steps.PatienceWithBlock(ctx, tx, e)
	switch {
	case err != nil || patience == recognize.EndlessPatience && p.RecognizeBlockedAfter() == 0:
		return pause, err
	case patience == recognize.EndlessPatience:
		return min(pause, lookForJobs), nil
	case e.WaitingSince != nil:
		patience -= now.Sub(*e.WaitingSince)
	}
	return min(pause, max(patience, time.Second)), nil
}
