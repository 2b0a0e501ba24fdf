package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// judge ends the claims on an extraction whose limits do not permit the recognition of
// its sound, and reserves the minutes for the other claims. If no claim is left, the
// extraction ends too. judge may run again when more is known.
func (p *Pipeline) judge(ctx context.Context, tx *db.Tx, e *db.Extraction, sound limits.Sound) error {
	claims, err := lockPlaces(ctx, tx, e)
	if err != nil {
		return err
	}
	return p.judgeClaims(ctx, tx, e, claims, sound)
}

// judgeClaims judges some of the claims on an extraction. The transaction has locked the
// places of their accounts.
func (p *Pipeline) judgeClaims(ctx context.Context, tx *db.Tx, e *db.Extraction, claims []db.Job, sound limits.Sound) error {
	return p.endRefused(ctx, tx, e, claims, func(c *db.Job) (*transcript.Error, error) { return refuse(ctx, tx, e, c, sound) })
}

// dismiss ends the claims on an extraction whose plan has no recognition. It changes no
// claim that may go on.
func (p *Pipeline) dismiss(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
	claims, err := lockPlaces(ctx, tx, e)
	if err != nil {
		return err
	}
	return p.endRefused(ctx, tx, e, claims, func(c *db.Job) (*transcript.Error, error) {
		if c.Limits.ASR {
			return nil, nil //nolint:nilnil // there is nothing to refuse
		}
		return noRecognition(ctx, tx, subject.OfExtraction(e))
	})
}

// endRefused ends those of some claims for which refuse gives a reason.
func (p *Pipeline) endRefused(ctx context.Context, tx *db.Tx, e *db.Extraction, claims []db.Job, refuse func(*db.Job) (*transcript.Error, error)) error {
	slices.SortFunc(claims, byAccount)
	if _, err := lockBatches(ctx, tx, claims); err != nil { // before what the accounts have used
		return err
	}
	for i := range claims {
		refusal, err := refuse(&claims[i])
		if err != nil {
			return err
		}
		if refusal == nil {
			continue
		}
		if err := p.settle(ctx, tx, e, claims[i:i+1], db.End{Status: transcript.JobFailed, Error: fault.OfJob(refusal)}); err != nil {
			return err
		}
	}
	return nil
}

// refuse is why the sound of an extraction may not be recognized for a claim; where it
// may, the claim holds its minutes.
func refuse(ctx context.Context, tx *db.Tx, e *db.Extraction, c *db.Job, sound limits.Sound) (*transcript.Error, error) {
	if !c.Limits.ASR {
		return noRecognition(ctx, tx, subject.OfExtraction(e))
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
	u.Reserved.Minutes -= c.Reserved.Minutes // its own are not what is in its way
	return limits.MinutesUsedUp(c.Limits, u, sound), nil
}

// noRecognition is the end of a request that only recognition could answer, for
// an account that may not have it.
func noRecognition(ctx context.Context, tx *db.Tx, sub subject.Subject) (*transcript.Error, error) {
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
	e := transcript.Errorf(transcript.LanguageNotAvailable, "There are no captions in %s, and the plan does not include speech recognition.", clip.Text(sub.Languages.String()))
	e.AvailableLanguages = others
	return e, nil
}
