package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Submission is a valid request of an account.
type Submission struct {
	Account string
	// Plan is what the account may have.
	Plan account.Plan
	// Upload is the received file; nil for a link, which is Content. Package uploads sets it.
	Upload  *File
	Content engine.Content
	// Languages is the caller's list; nil when none was sent.
	Languages transcript.LanguageList
	View      view.View
	// Prompt holds names and words that are likely to be said in the upload, in addition to the
	// account's prompt; empty: none.
	Prompt string
	// KeepMedia is how long the upload is kept after its text is there, in whole seconds; 0: it is
	// not. The caller has judged it by the plan.
	KeepMedia time.Duration
	// Admit is called before a claim is made that the plan has room for, at most once
	// and in no transaction; its error is the answer. nil admits every claim.
	Admit func(context.Context) error
	// Key is the idempotency key that the request holds; nil: it has none. The
	// transaction that writes what the answer speaks of records it.
	Key *db.HeldKey

	terms
	team cluster.Team // the processes that may do the work
	// item is the item of a batch that it is; nil: it is asked for by itself. An item
	// goes after what is, and waits where that is refused.
	item *db.BatchItem
	// followed tells that it is an item of a follow. Nobody waits for it, so it goes after
	// what is asked for by itself, as an item of a batch does.
	followed bool
}

// terms are those under which a submission is accepted.
type terms struct {
	limits db.Limits
	ttl    time.Duration // how old a stored text may be that answers it
	trace  string        // as of a db.Job
	prompt string        // of the account and of the request, for an upload; "" for none
}

// Outcome is what became of a submission: exactly one of Result and Job is set.
type Outcome struct {
	Result *view.Result // from the cache
	Job    *view.Job
	// KeptFile tells that the file of the submission is in use now. Else nothing uses the file.
	KeptFile bool
}

// Submit answers from the cache, joins running work, or starts new work. It removes no file: see
// Outcome.KeptFile, and package uploads. Errors carry codes: NOT_IMPLEMENTED if no living process
// can do the work, a code of 402 if the plan does not permit the work or has nothing left, or the
// error of Admit. After db.ErrUncertain nobody knows whether the submission, and its file, are taken.
func (i *Intake) Submit(ctx context.Context, s Submission) (*Outcome, error) {
	s = i.onTerms(ctx, s)
	out, used, err := i.submit(ctx, s)
	if err != nil {
		return nil, err
	}
	i.metrics.CacheAsked(metrics.ForTranscript, out.Result != nil)
	out.KeptFile = used
	return out, nil
}

// Cached returns the text of the cache that answers a request for a link, or nil. Cached
// writes nothing, and takes no lock. So Cached leaves two kinds of texts to Submit: a text
// that is not in the library of the account yet, and a text that belongs to the account
// alone. The owner may delete such a text at this moment, with all answers that name it.
func (i *Intake) Cached(ctx context.Context, s Submission) (*view.Result, error) {
	s = i.onTerms(ctx, s)
	hit, err := cached(ctx, i.store.Reader, s)
	if err != nil || hit == nil || !hit.saved || hit.Owner != "" {
		return nil, err
	}
	i.metrics.CacheAsked(metrics.ForTranscript, true)
	return view.ResultOf(hit.Transcript, s.View, true)
}

// onTerms is the submission with the terms of the moment, and the languages that count.
func (i *Intake) onTerms(ctx context.Context, s Submission) Submission {
	s.terms = terms{limits: limits.Of(s.Plan, time.Now()), ttl: s.Plan.CacheTTL, trace: i.Trace(ctx)}
	s.team = i.cluster.Team(ctx)
	s.Languages = s.narrow()
	return s
}

// submit reports in used whether an extraction now needs the upload.
func (i *Intake) submit(ctx context.Context, s Submission) (out *Outcome, used bool, err error) {
	if s.prompt, err = i.promptFor(ctx, s); err != nil {
		return nil, false, fmt.Errorf("intake: reading the prompt: %w", err)
	}
	if s.Key == nil && s.KeepMedia == 0 && (s.Upload == nil || s.Upload.Row == "") {
		// Most repeated requests end here, without a write.
		hit, err := cached(ctx, i.store.Reader, s)
		if err != nil {
			return nil, false, err
		}
		if hit != nil && hit.saved {
			out, err := i.fromCache(ctx, hit, s)
			return out, false, err
		}
	}
	found, job, used, err := i.decide(ctx, s)
	if errors.Is(err, errNotAdmitted) {
		if err = attempt.Guard(func() error { return s.Admit(ctx) }); err == nil {
			s.Admit = nil
			found, job, used, err = i.decide(ctx, s)
		}
	}
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("intake: accepting a request: %w", err)
	case found != nil:
		out, err := i.fromCache(ctx, found, s)
		return out, used, err
	}
	return &Outcome{Job: &view.Job{Job: view.JobOf(job), Asked: s.View}}, used, nil
}

// errNotAdmitted ends a transaction that would make a claim for which Submission.Admit
// has not been asked.
var errNotAdmitted = errors.New("intake: the claim is not admitted yet")

// decide is accept in a transaction.
func (i *Intake) decide(ctx context.Context, s Submission) (found *hit, job *db.Job, used bool, err error) {
	err = i.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if found, job, used, err = i.accept(ctx, tx, s); err != nil {
			return err
		}
		return s.record(ctx, tx, job, found)
	})
	return found, job, used, err
}

// accept finds the text that answers a request or the running work, or starts
// new work.
func (i *Intake) accept(ctx context.Context, tx *db.Tx, s Submission) (found *hit, job *db.Job, used bool, err error) {
	sub := s.subject()
	// Equal requests take turns: the first begins the work, the others find it.
	if err := tx.LockSubmissions(ctx, sub.Owner, sub.Content); err != nil {
		return nil, nil, false, err
	}
	if err := s.stillThere(ctx, tx); err != nil {
		return nil, nil, false, err
	}
	// This waits for work that is about to end; the cache then has its text.
	e, err := tx.Extractions.LockRunning(ctx, sub.Owner, sub.Platform, sub.ExternalID, sub.Languages.String(), sub.Prompt)
	if errors.Is(err, db.ErrNotFound) && sub.Owner == "" { // a platform that was read with a login makes the work that of one account
		e, err = tx.Extractions.LockRunning(ctx, s.Account, sub.Platform, sub.ExternalID, sub.Languages.String(), sub.Prompt)
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, nil, false, err
	}
	if found, err = cached(ctx, tx.Reader, s); err != nil {
		return nil, nil, false, err
	}
	if err := s.checkRoom(ctx, tx, e); err != nil {
		return nil, nil, false, err
	}
	if found != nil {
		if err := tx.Library.Save(ctx, found.ID, s.Account, sub.Languages.String()); err != nil {
			return nil, nil, false, err
		}
		used, err = i.keepReceived(ctx, tx, s)
		return found, nil, used, err
	}
	if err := s.refusal(sub); err != nil {
		return nil, nil, false, err
	}
	if e != nil {
		if job, err = tx.Jobs.Running(ctx, s.Account, e.ID); err == nil {
			if err := bringForward(ctx, tx, e, job, s); err != nil {
				return nil, nil, false, err
			}
			if err := i.promise(ctx, tx, e, s); err != nil {
				return nil, nil, false, err
			}
			return nil, job, false, tx.Library.ShowJob(ctx, e, job) // it may have been removed from the library
		}
		if !errors.Is(err, db.ErrNotFound) {
			return nil, nil, false, err
		}
	}
	if sub.Owner != "" {
		if err := limits.LibraryHasRoom(ctx, tx.SQL().Tx, sub.Owner, s.Plan); err != nil {
			return nil, nil, false, err
		}
	}
	if err := s.overdraft(ctx, tx.Reader, sub); err != nil {
		return nil, nil, false, err
	}
	if e != nil {
		if job, err = i.moves.claim(ctx, tx, e, s); err == nil {
			job, err = i.moves.admitJoin(ctx, tx, e, job, s)
		}
	} else {
		job, err = i.begin(ctx, tx, s)
		used = s.Upload != nil
	}
	if err == nil && s.Admit != nil && !job.State.Status.Terminal() {
		err = errNotAdmitted
	}
	if err == nil && e == nil && s.Upload == nil { // for an upload there was room
		err = i.disks.Room(0) // last, because it may pass
	}
	return nil, job, used, err
}

// stillThere refuses a request whose account was removed since the request began. An upload may take
// hours to arrive.
func (s Submission) stillThere(ctx context.Context, tx *db.Tx) error {
	gone, err := tx.Removals.Marked(ctx, s.Account)
	if err == nil && gone {
		err = s.Plan.UpgradeRequired("The account is removed.")
	}
	return err
}

// captionsFirst tells that the work on a subject begins with its captions, and
// not with its sound.
func (s Submission) captionsFirst(sub subject.Subject) bool {
	return sub.WantsCaptions() && s.team.ReadsCaptions(sub.Platform)
}

// begin starts new work.
func (i *Intake) begin(ctx context.Context, tx *db.Tx, s Submission) (*db.Job, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	now, sub := time.Now(), s.subject()
	e := &db.Extraction{
		ID:         id.String(),
		Owner:      sub.Owner,
		Platform:   sub.Platform,
		ExternalID: sub.ExternalID,
		SourceURL:  sub.URL,
		Languages:  sub.Languages.String(),
		State:      step.Queued,
		Attempt:    1,
		CreatedAt:  now,
		UpdatedAt:  now,
	}
	if s.Upload != nil {
		e.MediaKey, e.Prompt = s.Upload.Key, sub.Prompt
		e.MediaType, e.MediaBytes, e.KeepMedia = s.Upload.MediaType, s.Upload.Size, int64(s.KeepMedia/time.Second)
		e.Metadata.Title = uploadTitle(s.Upload.Name)
	}
	var chunks []db.Chunk // that were cut while the upload arrived
	if s.Upload != nil && s.Upload.Work != "" {
		e.ID, chunks = s.Upload.Work, s.Upload.Chunks
	}
	if err := tx.Extractions.Insert(ctx, e); err != nil {
		return nil, err
	}
	if err := tx.Chunks.Insert(ctx, chunks); err != nil {
		return nil, err
	}
	job, err := i.moves.claim(ctx, tx, e, s)
	if err != nil {
		return nil, err
	}
	if s.captionsFirst(sub) {
		return job, i.moves.admitNew(ctx, tx, e, job, step.Captions{Extraction: e.ID}, false)
	}
	return job, i.moves.admitNew(ctx, tx, e, job, step.PrepareOf(e), true)
}

// bringForward records that a single request asks for a claim of batches. From now on
// the claim comes before claims of batches, and may have the places that they may not
// have.
func bringForward(ctx context.Context, tx *db.Tx, e *db.Extraction, job *db.Job, s Submission) error {
	if s.item != nil || s.followed || job.Asked {
		return nil
	}
	job.Limits.ASRConcurrency, job.Limits.ASRWaiting = s.limits.ASRConcurrency, s.limits.ASRWaiting
	if err := tx.Jobs.SetAsked(ctx, job); err != nil {
		return err
	}
	if place, err := tx.Places.ByExtraction(ctx, e.ID); err != nil || place == (db.Place{}) {
		return err
	}
	if err := tx.Places.Lock(ctx, job.Account); err != nil {
		return err
	}
	return callNext(ctx, tx, job.Account)
}

// record records for the request's idempotency key, and for its resumable upload, what its answer speaks of. A job
// is not the last word: the sender may wait for what becomes of it.
func (s Submission) record(ctx context.Context, tx *db.Tx, job *db.Job, found *hit) error {
	var about db.Answer
	if found != nil {
		about = db.Answer{Kind: db.TranscriptAnswer, ID: found.ID}
	} else {
		about = db.Answer{Kind: db.JobAnswer, ID: job.ID}
	}
	if s.Upload != nil && s.Upload.Row != "" {
		if err := tx.Uploads.Record(ctx, s.Account, s.Upload.Row, about); err != nil {
			return err
		}
	}
	return tx.Idempotency.Record(ctx, s.Key, about, found != nil)
}
