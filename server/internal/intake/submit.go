package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
)

// Outcome is the result of a submission: exactly one member is set.
type Outcome struct {
	Result *view.Result // from the cache
	Job    *view.Job
}

// Submit answers from the cache, joins running work, or starts new work. Errors have codes:
// NOT_IMPLEMENTED if no living process can do the work, a code of 402 if the plan does not permit
// the work or has nothing left, or the error of Admit.
func (i *Intake) Submit(ctx context.Context, s Submission) (*Outcome, error) {
	out, _, err := i.take(ctx, i.allow(ctx, s, nil))
	return out, err
}

// SubmitFile is Submit for a file. kept reports, even after an error, whether something uses the
// file now: SubmitFile itself removes no file. After db.ErrUncertain, this is not known.
func (i *Intake) SubmitFile(ctx context.Context, s Submission, file *File) (out *Outcome, kept bool, err error) {
	if err := s.mayBeAdded(file); err != nil {
		return nil, false, err
	}
	return i.take(ctx, i.allow(ctx, s, file))
}

// Cached returns the text from the cache that answers a request for a link, or nil. Cached
// writes nothing, and takes no lock. So Cached leaves two kinds of texts to Submit: a text
// that is not in the library of the account yet, and a text that belongs to the account
// alone. The owner may delete such a text at this moment, with all answers that name it.
func (i *Intake) Cached(ctx context.Context, s Submission) (*view.Result, error) {
	o, err := i.order(ctx, i.allow(ctx, s, nil))
	if err != nil {
		return nil, err
	}
	hit, err := cached(ctx, i.store.Reader, o)
	if err != nil || hit == nil || !hit.saved || hit.Owner != "" {
		return nil, err
	}
	i.metrics.CacheAsked(metrics.ForTranscript, true)
	return view.ResultOf(hit.Transcript, s.View, true)
}

func (i *Intake) take(ctx context.Context, a allowed) (out *Outcome, kept bool, err error) {
	o, err := i.order(ctx, a)
	if err != nil {
		return nil, false, err
	}
	if out, kept, err = i.fulfill(ctx, o); err == nil {
		i.metrics.CacheAsked(metrics.ForTranscript, out.Result != nil)
	}
	return out, kept, err
}

// fulfill answers an order from the cache, or starts the work for its text.
func (i *Intake) fulfill(ctx context.Context, o order) (out *Outcome, kept bool, err error) {
	if o.Key == nil && o.KeepMedia == 0 && (o.file == nil || o.file.Row == "") {
		// Most repeated requests end here, without a write.
		hit, err := cached(ctx, i.store.Reader, o)
		if err != nil {
			return nil, false, err
		}
		if hit != nil && hit.saved {
			out, err := i.fromCache(ctx, hit, o)
			return out, false, err
		}
	}
	found, job, kept, err := i.decide(ctx, o)
	if errors.Is(err, errNotAdmitted) {
		if err = attempt.Guard(func() error { return o.Admit(ctx) }); err == nil {
			o.Admit = nil
			found, job, kept, err = i.decide(ctx, o)
		}
	}
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("intake: accepting a request: %w", err)
	case found != nil:
		out, err = i.fromCache(ctx, found, o)
		return out, kept, err
	}
	return &Outcome{Job: &view.Job{Job: view.JobOf(job), Asked: o.View}}, kept, nil
}

// errNotAdmitted ends a transaction that would make a job without a call of
// Submission.Admit.
var errNotAdmitted = errors.New("intake: the claim is not admitted yet")

// decide is accept in a transaction.
func (i *Intake) decide(ctx context.Context, o order) (found *hit, job *db.Job, used bool, err error) {
	err = i.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if found, job, used, err = i.accept(ctx, tx, o); err != nil {
			return err
		}
		return o.record(ctx, tx, job, found)
	})
	return found, job, used, err
}

// accept finds the text that answers a request or the running work, or starts new work.
func (i *Intake) accept(ctx context.Context, tx *db.Tx, o order) (found *hit, job *db.Job, used bool, err error) {
	sub := o.sub
	// Equal requests take turns: the first one starts the work, and the others find it.
	if err := tx.LockSubmissions(ctx, sub.Owner, sub.Content); err != nil {
		return nil, nil, false, err
	}
	if err := o.stillThere(ctx, tx); err != nil {
		return nil, nil, false, err
	}
	// This waits for work that is about to end; the cache then has its text.
	e, err := tx.Works.LockRunning(ctx, sub.Owner, sub.Platform, sub.ExternalID, sub.Languages.String(), sub.Prompt, sub.Listening)
	if errors.Is(err, db.ErrNotFound) && sub.Owner == "" { // if a platform was read with a login, the work belongs to one account
		e, err = tx.Works.LockRunning(ctx, o.Account, sub.Platform, sub.ExternalID, sub.Languages.String(), sub.Prompt, sub.Listening)
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, nil, false, err
	}
	if found, err = cached(ctx, tx.Reader, o); err != nil {
		return nil, nil, false, err
	}
	if err := o.checkRoom(ctx, tx, e); err != nil {
		return nil, nil, false, err
	}
	if found != nil {
		if err := tx.Library.Save(ctx, found.ID, o.Account, sub.Languages.String()); err != nil {
			return nil, nil, false, err
		}
		used, err = i.keepReceived(ctx, tx, o, found)
		return found, nil, used, err
	}
	if o.RecordingOf != "" {
		return nil, nil, false, subject.NotSaved()
	}
	if err := o.refusal(); err != nil {
		return nil, nil, false, err
	}
	if e != nil {
		if job, err = tx.Jobs.Running(ctx, o.Account, e.ID); err == nil {
			if err := bringForward(ctx, tx, e, job, o); err != nil {
				return nil, nil, false, err
			}
			if err := i.promise(ctx, tx, e, o); err != nil {
				return nil, nil, false, err
			}
			return nil, job, false, tx.Library.ShowJob(ctx, e, job) // the text may have been removed from the library
		}
		if !errors.Is(err, db.ErrNotFound) {
			return nil, nil, false, err
		}
	}
	if sub.Owner != "" {
		if err := limits.LibraryHasRoom(ctx, tx.SQL().Tx, sub.Owner, o.Plan); err != nil {
			return nil, nil, false, err
		}
	}
	if err := o.overdraft(ctx, tx.Reader); err != nil {
		return nil, nil, false, err
	}
	if e != nil {
		if job, err = i.moves.begin(ctx, tx, e, o); err == nil {
			job, err = i.moves.admitJoin(ctx, tx, e, job, o)
		}
	} else {
		job, err = i.begin(ctx, tx, o)
		used = o.file != nil
	}
	if err == nil && o.Admit != nil && !job.State.Status.Terminal() {
		err = errNotAdmitted
	}
	if err == nil && e == nil && o.file == nil { // for an upload there was a place
		err = i.disks.Room(0) // last, because this refusal may be temporary
	}
	return nil, job, used, err
}

// stillThere refuses a request whose account was removed since the request began. An upload may
// take hours to arrive.
func (o order) stillThere(ctx context.Context, tx *db.Tx) error {
	gone, err := tx.Removals.Marked(ctx, o.Account)
	if err == nil && gone {
		err = o.Plan.UpgradeRequired("The account is removed.")
	}
	return err
}

// captionsFirst reports whether the work on a subject begins with its captions, and not
// with its sound.
func (o order) captionsFirst() bool {
	return o.sub.WantsCaptions() && o.team.ReadsCaptions(o.sub.Platform)
}

// begin starts new work.
func (i *Intake) begin(ctx context.Context, tx *db.Tx, o order) (*db.Job, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	now, sub := time.Now(), o.sub
	e := &db.Work{
		ID:         id.String(),
		Owner:      sub.Owner,
		Platform:   sub.Platform,
		ExternalID: sub.ExternalID,
		SourceURL:  sub.URL,
		Languages:  sub.Languages.String(),
		Listening:  sub.Listening,
		State:      step.Queued,
		Attempt:    1,
		CreatedAt:  now,
		UpdatedAt:  now,
	}
	if o.file != nil {
		e.MediaKey, e.Prompt = o.file.Key, sub.Prompt
		e.MediaType, e.MediaBytes, e.KeepMedia = o.file.MediaType, o.file.Size, int64(o.KeepMedia/time.Second)
		e.Metadata.Title = labels.OfFile(o.file.Name)
	}
	var chunks []db.Chunk // chunks that were cut while the upload arrived
	if o.file != nil && o.file.Work != "" {
		e.ID, chunks = o.file.Work, o.file.Chunks
	}
	if err := tx.Works.Insert(ctx, e); err != nil {
		return nil, err
	}
	if err := tx.Chunks.Insert(ctx, chunks); err != nil {
		return nil, err
	}
	job, err := i.moves.begin(ctx, tx, e, o)
	if err != nil {
		return nil, err
	}
	if o.captionsFirst() {
		return job, i.moves.admitNew(ctx, tx, e, job, step.Captions{Work: e.ID}, false)
	}
	return job, i.moves.admitNew(ctx, tx, e, job, step.PrepareOf(e), true)
}

// bringForward records that a single request asks for a job of batches. From now on the
// job runs before jobs of batches, and may have the places that they may not have.
func bringForward(ctx context.Context, tx *db.Tx, e *db.Work, job *db.Job, o order) error {
	if o.item != nil || o.followed || job.Asked {
		return nil
	}
	job.Limits.ASRConcurrency, job.Limits.ASRWaiting = o.limits.ASRConcurrency, o.limits.ASRWaiting
	if err := tx.Jobs.SetAsked(ctx, job); err != nil {
		return err
	}
	if place, err := tx.Places.ByWork(ctx, e.ID); err != nil || place == (db.Place{}) {
		return err
	}
	if err := tx.Places.Lock(ctx, job.Account); err != nil {
		return err
	}
	return callNext(ctx, tx, job.Account)
}

// record records the subject of the answer for the request's idempotency key, and for its resumable
// upload. A job is not the final answer, because the sender may wait for the outcome of the job.
func (o order) record(ctx context.Context, tx *db.Tx, job *db.Job, found *hit) error {
	var about db.Answer
	if found != nil {
		about = db.Answer{Kind: db.TranscriptAnswer, ID: found.ID}
	} else {
		about = db.Answer{Kind: db.JobAnswer, ID: job.ID}
	}
	if o.file != nil && o.file.Row != "" {
		if err := tx.Uploads.Record(ctx, o.Account, o.file.Row, about); err != nil {
			return err
		}
	}
	return tx.Idempotency.Record(ctx, o.Key, about, found != nil)
}
