package intake

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// May it? This file admits requests and jobs. Before there is a job, refusal and
// overdraft refuse a request that would certainly fail. After that, each of these events
// admits a job once: admitNew for new work, admitJoin for a job that joins running work,
// and AdmitSound when more is known about the length of the sound.
//
// A job has its own limits, those of the plan at the time of the request. Every
// transaction locks the work and its jobs first, then places, then batches, and
// changes the usage of accounts last.

// fullRetry is the RetryAfter for an account without a free place, in seconds.
const fullRetry = 15

// refusal refuses a request that would certainly fail because the plan has no
// recognition, or because no process can do the work.
func (o order) refusal() error {
	switch {
	case o.sub.Listening.Speakers > 0 && !o.Plan.Speakers:
		return o.Plan.UpgradeRequired("The plan does not include telling speakers apart: send the request with the speakers auto or none.")
	case o.direct() && o.limits.MaxBytes == 0:
		return limits.Refusal(o.limits, transcript.UpgradeRequired, "The plan does not include uploads, nor links to media files.")
	case o.direct() && !o.team.ReadsCaptions(transcript.Upload):
		return transcript.Errorf(transcript.NotImplemented, "This service cannot read links to media files.")
	case o.captionsFirst():
		return nil // the captions decide
	case !o.limits.ASR:
		return limits.Refusal(o.limits, transcript.UpgradeRequired, "The plan does not include speech recognition.")
	case o.file == nil && !o.team.Downloads():
		return transcript.Errorf(transcript.NotImplemented, "This service cannot download media.")
	}
	if o.sub.Listening.Speakers > 0 && !o.team.Diarizes() && !o.team.TellsSpeakers() {
		return transcript.Errorf(transcript.NotImplemented, "This service cannot tell speakers apart: leave speakers out. %s", engine.CureDiarizer)
	}
	return o.team.CanTranscribe(o.spokenLanguages())
}

// overdraft refuses a request for recognition that is too long for the plan, or for the
// remaining minutes, by the length that is known before there is a job.
func (o order) overdraft(ctx context.Context, r db.Reader) error {
	if o.captionsFirst() {
		return nil
	}
	sound, err := extentOfContent(ctx, r, o.sub)
	if err != nil {
		return err
	}
	if tooLong := limits.TooLong(o.limits, sound); tooLong != nil {
		return tooLong
	}
	return limits.HasMinutes(ctx, r, o.Account, o.limits, sound)
}

// admitNew admits the first job on new work, and queues the first step. Work that
// certainly needs recognition takes a place of the account. An item of a batch without a
// free place waits: its first step is queued later, with the place.
func (c *Moves) admitNew(ctx context.Context, tx *db.Tx, e *db.Work, job *db.Job, first queue.Step, recognized bool) error {
	seated := true
	if recognized {
		var err error
		if seated, err = takePlace(ctx, tx, job); errors.Is(err, transcript.ASRConcurrencyLimit) {
			// A place becomes free again, but transcripts that are used up do not come back.
			return cmp.Or(limits.HasTranscript(ctx, tx.Reader, job.Account, job.Limits), err)
		}
		if err != nil {
			return err
		}
	}
	if err := tx.Library.ShowJob(ctx, e, job); err != nil {
		return err
	}
	if seated { // last, because the account's turn stays locked until the commit
		if err := tx.Queue.EnqueueFor(ctx, first, job.Waits()); err != nil {
			return err
		}
	}
	return reserve(ctx, tx, job)
}

// admitJoin admits a job on running work. If the work has passed the captions, the limits
// of the job apply at once, as they did for the other jobs. It returns the job, which may
// have ended.
func (c *Moves) admitJoin(ctx context.Context, tx *db.Tx, e *db.Work, job *db.Job, o order) (*db.Job, error) {
	if err := tx.Jobs.BringForward(ctx, job); err != nil {
		return nil, err
	}
	outside, err := standsOutside(ctx, tx, e)
	if err != nil {
		return nil, err
	}
	late := outside || step.BeyondCaptions(e.State)
	if late {
		if err := tx.Places.Lock(ctx, job.Account); err != nil {
			return nil, err
		}
	}
	if err := tx.Library.ShowJob(ctx, e, job); err != nil {
		return nil, err
	}
	if late && o.item != nil { // the work ends if the job is refused, after its account's usage was changed
		if _, err := tx.Batches.Lock(ctx, o.item.BatchID); err != nil {
			return nil, err
		}
	}
	if err := reserve(ctx, tx, job); err != nil || !late {
		return job, err
	}
	sound, err := ExtentOf(ctx, tx.Reader, e)
	if err != nil {
		return nil, err
	}
	if err := c.admitJobs(ctx, tx, e, []db.Job{*job}, sound); err != nil {
		return nil, err
	}
	if outside { // if the other jobs have no place, this account may have one
		if err := callOutside(ctx, tx, job.Account); err != nil {
			return nil, err
		}
	}
	return tx.Jobs.Owned(ctx, job.Account, job.ID)
}

// AdmitSound ends the jobs of some work whose limits do not permit the recognition of its
// sound, and reserves the minutes for the other jobs. If no job is left, the work ends
// too. AdmitSound runs each time that more is known about the length.
func (c *Moves) AdmitSound(ctx context.Context, tx *db.Tx, e *db.Work, sound limits.Sound) error {
	jobs, err := LockPlaces(ctx, tx, e)
	if err != nil {
		return err
	}
	return c.admitJobs(ctx, tx, e, jobs, sound)
}

// admitJobs is AdmitSound for some of the jobs. The transaction has locked the places
// of their accounts.
func (c *Moves) admitJobs(ctx context.Context, tx *db.Tx, e *db.Work, jobs []db.Job, sound limits.Sound) error {
	return c.endRefused(ctx, tx, e, jobs, func(job *db.Job) (*transcript.Error, error) { return refuse(ctx, tx, e, job, sound) })
}

// Dismiss ends the jobs of some work whose plan has no recognition. It changes no job
// that may continue.
func (c *Moves) Dismiss(ctx context.Context, tx *db.Tx, e *db.Work) error {
	jobs, err := LockPlaces(ctx, tx, e)
	if err != nil {
		return err
	}
	return c.endRefused(ctx, tx, e, jobs, func(job *db.Job) (*transcript.Error, error) {
		if job.Limits.ASR {
			return nil, nil //nolint:nilnil // there is nothing to refuse
		}
		return noRecognition(ctx, tx, e)
	})
}

// endRefused ends the jobs for which refuse returns a reason.
func (c *Moves) endRefused(ctx context.Context, tx *db.Tx, e *db.Work, jobs []db.Job, refuse func(*db.Job) (*transcript.Error, error)) error {
	slices.SortFunc(jobs, byAccount)
	if err := c.listeners.Ending(ctx, tx, jobs); err != nil { // before the usage of the accounts is changed
		return err
	}
	for i := range jobs {
		refusal, err := refuse(&jobs[i])
		if err != nil {
			return err
		}
		if refusal == nil {
			continue
		}
		if err := c.settle(ctx, tx, e, jobs[i:i+1], db.End{Status: transcript.JobFailed, Error: attempt.OfJob(refusal)}); err != nil {
			return err
		}
	}
	return nil
}

// refuse returns why the sound of work may not be recognized for a job. If it may, the
// job now holds its minutes.
func refuse(ctx context.Context, tx *db.Tx, e *db.Work, c *db.Job, sound limits.Sound) (*transcript.Error, error) {
	if !c.Limits.ASR {
		return noRecognition(ctx, tx, e)
	}
	if err := limits.TooLong(c.Limits, sound); err != nil {
		return err, nil //nolint:nilerr // it is what is asked for
	}
	ok, err := tx.Allowances.Reserve(ctx, c, db.Allowance{Transcripts: c.Reserved.Transcripts, Minutes: sound.Minutes()})
	if err != nil || ok {
		return nil, err
	}
	u, err := tx.Allowances.Usage(ctx, c.Account, c.Limits.Period)
	if err != nil {
		return nil, err
	}
	u.Reserved.Minutes -= c.Reserved.Minutes // its own reservation does not count
	return limits.MinutesUsedUp(c.Limits, u, sound), nil
}

// takePlace gives new work a place of the account of its first job. If there is no place,
// takePlace returns the refusal; an item of a batch waits without a place instead.
func takePlace(ctx context.Context, tx *db.Tx, job *db.Job) (seated bool, err error) {
	if err := tx.Places.Lock(ctx, job.Account); err != nil {
		return false, err
	}
	used, err := tx.Places.InUse(ctx, job.Account)
	switch {
	case err != nil:
		return false, err
	case hasPlace(used, job.Limits):
		return tx.Places.Take(ctx, job)
	case !job.Asked:
		return false, tx.Places.StandOutside(ctx, job.WorkID)
	}
	return false, noPlace(used, job.Limits)
}

// noPlace is the refusal of a request if its account has no place.
func noPlace(used db.PlacesInUse, l db.Limits) *transcript.Error {
	e := transcript.Errorf(transcript.ASRConcurrencyLimit,
		"As many recordings as the plan permits (%d) are being recognized or wait for it: send this one again when one of them has ended.",
		l.ASRConcurrency+l.ASRWaiting).
		With("inUse", used.Running).With("limit", l.ASRConcurrency).
		With("waiting", used.Waiting).With("waitingLimit", l.ASRWaiting)
	e.RetryAfter = fullRetry
	return e
}

// reserve reserves the transcript in a new job's row. Every transaction changes the usage of
// accounts last, so that no two transactions wait for each other.
func reserve(ctx context.Context, tx *db.Tx, job *db.Job) error {
	ok, err := tx.Allowances.Hold(ctx, job)
	if err != nil || ok {
		return err
	}
	u, err := tx.Allowances.Usage(ctx, job.Account, job.Limits.Period)
	if err != nil {
		return err
	}
	return limits.TranscriptsUsedUp(job.Limits, u)
}

// noRecognition is the end of a request that needs recognition, for an account without
// recognition.
func noRecognition(ctx context.Context, tx *db.Tx, e *db.Work) (*transcript.Error, error) {
	if ask.CaptionsBlocked(e.Tried) {
		return transcript.Errorf(transcript.IPBlocked, "The platform blocks the captions, and the plan does not include speech recognition. Try again later."), nil
	}
	sub := subject.OfWork(e)
	c, err := tx.Contents.Get(ctx, sub.Platform, sub.ExternalID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	var others []string
	if err == nil {
		others = subject.LanguagesOf(c.Tracks)
	}
	if len(others) == 0 {
		return transcript.Errorf(transcript.NoTranscript, "The content has no captions, and the plan does not include speech recognition."), nil
	}
	missing := transcript.Errorf(transcript.LanguageNotAvailable, "There are no captions in %s, and the plan does not include speech recognition.", sub.Asked())
	missing.AvailableLanguages = others
	return missing, nil
}
