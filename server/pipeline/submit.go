package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Submission is a valid request of an account.
type Submission struct {
	Account string
	// Plan is what the account may have.
	Plan account.Plan
	// Upload is the received file; nil for a link, which is Content.
	Upload  *Upload
	Content engine.Content
	// Languages is the caller's list; nil when none was sent.
	Languages transcript.LanguageList
	View      View
	// Remember, when set, remembers the answer for the request's idempotency key.
	Remember Remember
}

// Remember is called in the transaction that writes what an answer speaks of:
// the idempotency key of the request is finished there (contract 7).
type Remember func(ctx context.Context, tx *store.Tx, a store.Answer) error

// Outcome is what became of a submission: exactly one member is set.
type Outcome struct {
	Result *Result // from the cache
	Job    *Job
}

// Submit answers from the cache, joins running work, or starts new work. It
// takes the upload over: on return the file is either in use or gone. Errors
// carry codes of contract 2: NOT_IMPLEMENTED where no recognizer can do it.
func (p *Pipeline) Submit(ctx context.Context, s Submission) (*Outcome, error) {
	out, used, err := p.submit(ctx, s)
	if !used {
		p.Discard(ctx, s.Upload)
	}
	return out, err
}

// submit reports in used whether an extraction now needs the file.
func (p *Pipeline) submit(ctx context.Context, s Submission) (out *Outcome, used bool, err error) {
	if s.Remember == nil {
		// Most repeated uploads end here, without a write.
		hit, err := cached(ctx, p.store, s)
		if err != nil {
			return nil, false, err
		}
		if hit != nil {
			out, err := fromCache(hit, s.View)
			return out, false, err
		}
	}
	if err := p.canRecognize(s.Languages); err != nil {
		return nil, false, err
	}
	var hit *store.Transcript
	var job *store.Job
	err = p.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		hit, job, used = nil, nil, false
		// Equal requests take turns, so that only the first finds nothing.
		if err := tx.Lock(ctx, "submit/"+s.Account+"/"+s.Upload.externalID()); err != nil {
			return err
		}
		var err error
		if job, err = joinRunning(ctx, tx, s); job != nil || err != nil {
			return errors.Join(err, s.remember(ctx, tx, job, nil))
		}
		if hit, err = cached(ctx, tx, s); hit != nil || err != nil {
			return errors.Join(err, s.remember(ctx, tx, nil, hit))
		}
		used = true
		if job, err = startUpload(ctx, tx, s); err != nil {
			return err
		}
		return s.remember(ctx, tx, job, nil)
	})
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("pipeline: accepting a request: %w", err)
	case hit != nil:
		out, err := fromCache(hit, s.View)
		return out, false, err
	}
	return &Outcome{Job: &Job{Job: jobView(job), Asked: s.View}}, used, nil
}

// canRecognize refuses what no recognizer here can do, before there is a job
// (contract 3, J3b).
func (p *Pipeline) canRecognize(list transcript.LanguageList) error {
	if p.engine.Recognizer == nil {
		return transcript.Errorf(transcript.NotImplemented, "This service has no speech recognizer.")
	}
	info, want := p.engine.Recognizer.Info(), list.RecognizeAs()
	if want == "" || info.Languages == nil || slices.ContainsFunc(info.Languages, func(have string) bool {
		return samePrimary(have, want)
	}) {
		return nil
	}
	return transcript.Errorf(transcript.NotImplemented, "The recognizer %s does not know the language %s.", info.Name, want).
		With("language", want).With("engine", info.Name)
}

// samePrimary reports whether two tags have the same primary language.
func samePrimary(a, b string) bool {
	a, _, _ = strings.Cut(a, "-")
	b, _, _ = strings.Cut(b, "-")
	return strings.EqualFold(a, b)
}

// joinRunning returns the account's claim on work that already runs, or nil.
func joinRunning(ctx context.Context, tx *store.Tx, s Submission) (*store.Job, error) {
	e, err := tx.RunningExtraction(ctx, s.Account, transcript.Upload, s.Upload.externalID(), s.Languages.String())
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	job, err := tx.RunningJob(ctx, s.Account, e.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return job, err
	}
	return claim(ctx, tx, e, s)
}

// startUpload begins new work on an upload.
func startUpload(ctx context.Context, tx *store.Tx, s Submission) (*store.Job, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	e := &store.Extraction{
		ID:         id.String(),
		Owner:      s.Account,
		Platform:   transcript.Upload,
		ExternalID: s.Upload.externalID(),
		Languages:  s.Languages.String(),
		State:      transcript.State{Status: transcript.JobPending, Stage: transcript.StageQueued},
		Attempt:    1,
		Title:      transcript.UploadTitle(s.Upload.Name),
		MediaKey:   s.Upload.Key,
		CreatedAt:  now,
		UpdatedAt:  now,
	}
	if err := tx.InsertExtraction(ctx, e); err != nil {
		return nil, err
	}
	job, err := claim(ctx, tx, e, s)
	if err != nil {
		return nil, err
	}
	return job, tx.Enqueue(ctx, prepareArgs{Extraction: e.ID}, nil)
}

// claim makes the account's job on an extraction; it takes over where the
// extraction stands (J1).
func claim(ctx context.Context, tx *store.Tx, e *store.Extraction, s Submission) (*store.Job, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	job := &store.Job{
		ID:             id.String(),
		Account:        s.Account,
		ExtractionID:   e.ID,
		State:          e.State,
		Sequence:       1,
		Attempt:        e.Attempt,
		MetadataStatus: metadataStatus(e.Title, e.Duration),
		Format:         s.View.Format,
		OmitTimestamp:  s.View.OmitTimestamp,
		SendMetadata:   s.View.SendMetadata,
		CreatedAt:      now,
		UpdatedAt:      now,
	}
	return job, tx.InsertJob(ctx, job)
}

// remember finishes the idempotency key of the request, if it has one.
func (s Submission) remember(ctx context.Context, tx *store.Tx, job *store.Job, hit *store.Transcript) error {
	switch {
	case s.Remember == nil:
		return nil
	case job != nil:
		return s.Remember(ctx, tx, store.Answer{Status: http.StatusAccepted, JobID: job.ID})
	case hit != nil:
		return s.Remember(ctx, tx, store.Answer{Status: http.StatusOK, TranscriptID: hit.ID})
	}
	return nil
}

// reader is what both a store and a transaction can be asked.
type reader interface {
	TranscriptsOf(ctx context.Context, owner string, p transcript.Platform, externalID string) ([]store.Transcript, error)
	Transcript(ctx context.Context, id string) (*store.Transcript, error)
}

// cached returns the text that answers the request, or nil (contract 1, "Which
// cached text answers a list"). Of an upload there is only recognised text, and
// a language there means "recognise as": the newest text answers a caller who
// named none, else the newest in that language.
func cached(ctx context.Context, r reader, s Submission) (*store.Transcript, error) {
	rows, err := r.TranscriptsOf(ctx, s.Account, transcript.Upload, s.Upload.externalID())
	if err != nil {
		return nil, fmt.Errorf("pipeline: looking into the cache: %w", err)
	}
	want := s.Languages.RecognizeAs()
	for i := range rows {
		if want == "" || samePrimary(rows[i].Lang, want) {
			return r.Transcript(ctx, rows[i].ID)
		}
	}
	return nil, nil
}

func fromCache(hit *store.Transcript, v View) (*Outcome, error) {
	r, err := result(hit, v, true)
	if err != nil {
		return nil, err
	}
	return &Outcome{Result: r}, nil
}
