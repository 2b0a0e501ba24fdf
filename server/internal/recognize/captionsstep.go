package recognize

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// captionsStep reads the captions of links.
type captionsStep struct{ *Steps }

// readCaptions is the step Captions.
func (p captionsStep) readCaptions(ctx context.Context, t step.Held, _ step.Captions) error {
	e, err := p.enterCaptionFetch(ctx, t)
	if err != nil || e.State != step.CaptionFetch {
		return err
	}
	sub := subject.OfWork(e)
	sub.Login = true
	found, err := p.Sources.Ask(ctx, sub, func(ask.Finding, error) {})
	if err != nil {
		return p.orRecognizeBlocked(ctx, t, found, p.orServeStale(ctx, t, err))
	}
	if found.Track == nil {
		return p.goOnWithSound(ctx, t, found)
	}
	text := found.Transcript(sub)
	if err := text.Prepare(); err != nil {
		return err
	}
	return p.Moves.Own(db.Sized(ctx, text.Size()), t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		if err := p.share(ctx, tx, e, found); err != nil {
			return err
		}
		if found.Private {
			text.Owner = e.Owner
		}
		id, err := tx.Transcripts.Put(ctx, text)
		if err != nil {
			return err
		}
		return p.Moves.Serve(ctx, tx, e, db.End{TranscriptID: id, Metadata: &found.Metadata})
	})
}

// share stores what the platform has told about a content, for all accounts. If a source has read
// that with a login, share instead gives the work to one account.
func (p captionsStep) share(ctx context.Context, tx *db.Tx, e *db.Work, found ask.Finding) error {
	if found.Private {
		return p.Moves.KeepPrivate(ctx, tx, e)
	}
	return found.Put(ctx, tx, subject.OfWork(e))
}

// enterCaptionFetch moves queued work to caption_fetch, unless another one
// has made the text since this one was asked for: then it ends with that.
func (p captionsStep) enterCaptionFetch(ctx context.Context, t step.Held) (e *db.Work, err error) {
	err = p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Work) error {
		e = locked
		if answered, err := p.answered(ctx, tx, e); err != nil || answered {
			return err
		}
		return p.Moves.Enter(ctx, tx, e, t)
	})
	return e, err
}

// answered ends queued work with the text that answers it, if that has been made
// or put in since it was asked for.
func (p *Steps) answered(ctx context.Context, tx *db.Tx, e *db.Work) (bool, error) {
	if e.State != step.Queued {
		return false, nil
	}
	sub := subject.OfWork(e)
	shelf, err := sub.Shelf(ctx, tx.Reader, "", subject.Since(e.CreatedAt))
	if err != nil {
		return false, err
	}
	text := sub.Answer(shelf)
	if text == nil {
		return false, nil
	}
	return true, p.Moves.Serve(ctx, tx, e, db.End{TranscriptID: text.ID, Cached: true})
}

// orServeStale returns the fault of a step that has asked a platform, unless the
// platform blocks and there is a text that has expired: then the work ends
// with that. Old text is better than none.
func (p *Steps) orServeStale(ctx context.Context, t step.Held, fault error) error {
	if !errors.Is(fault, transcript.IPBlocked) {
		return fault
	}
	return p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		sub := subject.OfWork(e)
		shelf, err := sub.Shelf(ctx, tx.Reader, "", subject.AnyAge)
		if err != nil {
			return err
		}
		text := sub.Answer(shelf)
		if text == nil {
			return fault
		}
		if e.State == step.DurationCheck { // from where no move leads to a text
			if err := p.Moves.GoBack(ctx, tx, e, intake.Interrupted, nil); err != nil {
				return err
			}
		}
		return p.Moves.Serve(ctx, tx, e, db.End{TranscriptID: text.ID, Cached: true, Stale: true})
	})
}

// orRecognizeBlocked returns the fault of a step that has asked for captions, unless the platform
// blocks them and the work has waited for as long as the operator wants: then the work goes on
// with the sound.
func (p captionsStep) orRecognizeBlocked(ctx context.Context, t step.Held, found ask.Finding, fault error) error {
	if !BlocksCaptions(fault) {
		return fault
	}
	due := false
	err := p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		now, err := tx.Now(ctx)
		if err != nil || e.WaitingSince == nil {
			return err
		}
		patience, err := p.PatienceWithBlock(ctx, tx, e)
		due = now.Sub(*e.WaitingSince) >= patience
		return err
	})
	if err != nil || !due {
		return cmp.Or(err, fault)
	}
	p.Log.InfoContext(ctx, "captions are blocked, and the sound is recognized instead", "extraction", t.Work, "err", fault)
	return p.goOnWithSound(ctx, t, found)
}

// BlocksCaptions reports whether a fault of the captions step is a block by the platform. The
// service's own pace is no block: the platform would answer.
func BlocksCaptions(fault error) bool {
	return errors.Is(fault, transcript.IPBlocked) && !errors.Is(fault, throttle.ErrTooOften)
}

// EndlessPatience is longer than any wait.
const EndlessPatience = time.Duration(math.MaxInt64)

// PatienceWithBlock returns for how long some work waits for captions that the platform blocks. The
// shortest time among the jobs that may have recognition counts for all jobs. The time is
// EndlessPatience if all jobs wait for captions, or if nothing can recognize the sound.
func (p *Steps) PatienceWithBlock(ctx context.Context, tx *db.Tx, e *db.Work) (time.Duration, error) {
	team, list := p.Cluster.TeamNow(ctx), subject.OnlyASR(subject.OfWork(e).ASRLanguage())
	if !team.Downloads() || team.CanTranscribe(list) != nil {
		return EndlessPatience, nil //nolint:nilerr // the job keeps waiting
	}
	jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
	patience := EndlessPatience
	for _, job := range jobs {
		if after := limits.RecognizesBlockedAfter(job.Limits, p.RecognizeBlockedAfter()); after > 0 {
			patience = min(patience, after)
		}
	}
	return patience, err
}

// goOnWithSound goes from captions without an answer to recognition. A job whose plan
// has no recognition ends at caption_fetch. A job whose plan does not permit the
// length that the platform says ends at duration_check.
func (p captionsStep) goOnWithSound(ctx context.Context, t step.Held, found ask.Finding) error {
	over := false
	err := p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		if err := p.keepFinding(ctx, tx, e, found); err != nil {
			return err
		}
		err := p.Moves.Dismiss(ctx, tx, e)
		over = e.State.Status.Terminal()
		return err
	})
	if err != nil || over {
		return err
	}
	// A second transaction, because the first may have changed what accounts have used,
	// and every transaction does that last.
	return p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		if err := p.Moves.Advance(ctx, tx, e, step.DurationCheck); err != nil {
			return err
		}
		if err := p.Moves.AdmitSound(ctx, tx, e, limits.Claimed(found.Metadata.Duration)); err != nil || e.State.Status.Terminal() {
			return err
		}
		if err := p.NeedsSound(ctx, tx, e); err != nil {
			return err
		}
		if err := tx.Queue.Enqueue(ctx, step.Prepare{Work: e.ID, Link: true}); err != nil {
			return err
		}
		// If this process dies before River marks the run as completed, the rescue would run the
		// captions step again, beside the step that downloads the sound.
		return tx.Queue.Finish(ctx, t.Row)
	})
}

// keepFinding stores what the caption sources have told of work's content, and why none
// of them made the text.
func (p captionsStep) keepFinding(ctx context.Context, tx *db.Tx, e *db.Work, found ask.Finding) error {
	if found.Answered() {
		if err := p.share(ctx, tx, e, found); err != nil {
			return err
		}
		if err := tx.Works.SetMetadata(ctx, e.ID, found.Metadata); err != nil {
			return err
		}
		if err := tx.Library.DescribeJobs(ctx, e, found.Metadata); err != nil {
			return err
		}
	}
	e.Tried = found.Tried()
	return tx.Works.SetTried(ctx, e.ID, e.Tried)
}
