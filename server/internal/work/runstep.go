package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
)

// processor runs the steps.
type processor struct{ Config }

// worker does the steps of one kind.
func worker[S step.Step](p *processor, timeout time.Duration, run func(ctx context.Context, t step.Held, s S) error) queue.Worker {
	return queue.NewWorker(timeout, func(ctx context.Context, w queue.Row, s S) error {
		t := step.Held{Work: s.WorkID(), Row: w}
		if p.forOthers(ctx, s) {
			return p.leave(db.Unhurried(ctx), t, s)
		}
		return p.work(ctx, t, s, func(ctx context.Context, t step.Held) error {
			return run(ctx, t, s)
		})
	})
}

// work runs one step in its own scratch directory and handles its end. again is queued if
// the step is to be repeated.
func (p *processor) work(ctx context.Context, t step.Held, again queue.Step, run func(ctx context.Context, t step.Held) error) error {
	ctx = db.Unhurried(ctx)
	dir, err := os.MkdirTemp(p.Dir, "step-")
	if err != nil {
		return p.fault(context.WithoutCancel(ctx), t, again, fmt.Errorf("%w: making a scratch directory: %w", db.ErrUnavailable, err))
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			p.Log.WarnContext(ctx, "scratch files were left behind", "dir", dir, "err", err)
		}
	}()
	t.Dir = dir
	err = p.whileWanted(p.inLine(ctx, t), t.Work, func(ctx context.Context) error {
		return p.traced(ctx, t, again, func(ctx context.Context) error { return run(ctx, t) })
	})
	err = p.conclude(ctx, t, again, err)
	if errors.Is(err, intake.ErrTakenOver) {
		p.Log.WarnContext(ctx, "a step was left to the process that has taken it over", "extraction", t.Work, "step", t.Row.Kind)
		return nil
	}
	return err
}

// inLine sets the place of a step in the line before a platform, where accounts take
// turns. A step for which only batches wait goes behind all others.
func (p *processor) inLine(ctx context.Context, t step.Held) context.Context {
	if t.Row.Queue != step.CaptionsQueue && t.Row.Queue != step.DownloadQueue {
		return ctx // it visits none
	}
	who, err := p.Store.Queue.Waiting(ctx, t.Work)
	if err == nil && !who.Asked { // a database that is not available ends the step anyway
		return throttle.BehindInLine(ctx, t.Work, who.Turns...)
	}
	return throttle.InLine(ctx, t.Work, who.Turns...)
}

// conclude handles the end of a step.
func (p *processor) conclude(ctx context.Context, t step.Held, again queue.Step, err error) error {
	after := context.WithoutCancel(ctx)
	switch {
	case err == nil, errors.Is(err, intake.ErrTakenOver):
		return err
	case errors.Is(err, attempt.ErrUnwanted):
		return p.cleanUp(after, t.Work)
	case errors.Is(ctx.Err(), context.Canceled): // the runner is stopping; a step's own time limit does not count as that
		return p.release(after, t)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		// The part that reports the end of the step's time, such as the database, is not the
		// cause.
		err = fmt.Errorf("work: the step took too long: %v", err) //nolint:errorlint // it is not to be found
	}
	return p.fault(after, t, again, err)
}

// cleanUp removes the audio that a step may have written after its work ended. If the
// work has only advanced to another step, its audio is in use and stays.
func (p *processor) cleanUp(ctx context.Context, workID string) error {
	e, err := p.Store.Works.ByID(ctx, workID)
	switch {
	case errors.Is(err, db.ErrNotFound):
		p.Audio.DeleteChunks(ctx, workID)
	case err != nil:
		return fmt.Errorf("work: cleaning up: %w", err)
	case e.State.Status.Terminal():
		if !audio.MayHave(e) {
			return nil
		}
		return p.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Works.LeaveAudio(ctx, e.ID) })
	}
	return nil
}

// whileWanted runs fn with a context that ends with cause attempt.ErrUnwanted when the
// work ends under it.
func (p *processor) whileWanted(ctx context.Context, workID string, fn func(context.Context) error) error {
	return attempt.WhileWanted(ctx, p.Store, workID, func(ctx context.Context) bool {
		e, err := p.Store.Works.ByID(ctx, workID)
		return err == nil && e.State.Status.Terminal() || errors.Is(err, db.ErrNotFound)
	}, fn)
}

// forOthers reports whether only other processes can run a step.
func (p *processor) forOthers(ctx context.Context, s step.Step) bool {
	if !p.Cluster.Shared() {
		return false
	}
	e, err := p.Store.Works.ByID(ctx, s.WorkID())
	if err != nil {
		return false // the step finds the same
	}
	return p.Cluster.OnlyOthers(ctx, func(t cluster.Team) bool {
		switch s := s.(type) {
		case step.Captions:
			return t.ReadsCaptions(e.Platform)
		case step.Prepare:
			if subject.Direct(subject.OfWork(e).Content) {
				return t.DecodesDirect()
			}
			return t.Decodes(s.Link)
		case step.TellSpeakers:
			return t.Diarizes()
		case step.Recognize:
			return t.CanRecognize(subject.OnlyASR(subject.OfWork(e).ASRLanguage())) == nil
		}
		return true
	})
}

// leave puts a step back into the queue for a process that can do it. The attempt does
// not count, and the state of the work does not change.
func (p *processor) leave(ctx context.Context, t step.Held, again queue.Step) error {
	err := p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, _ *db.Work) error {
		_, err := tx.Queue.RunAgain(ctx, t.Row, again, cluster.ElsewherePause)
		return err
	})
	switch {
	case errors.Is(err, attempt.ErrUnwanted):
		return p.cleanUp(ctx, t.Work)
	case errors.Is(err, intake.ErrTakenOver):
		return nil // then another process does it
	}
	return err
}

// release gives a running step back because this process stops or was considered dead: it
// is available at once, and the attempt does not count.
func (p *processor) release(ctx context.Context, t step.Held) error {
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	err := p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		return p.Moves.TakeBack(ctx, tx, e, []queue.Row{t.Row}, false)
	})
	if err != nil && !errors.Is(err, attempt.ErrUnwanted) {
		return fmt.Errorf("work: releasing work: %w", err)
	}
	return fmt.Errorf("work: the service stops: %w", context.Canceled) // puts the step back into the queue (queue.Runner)
}
