package pipeline

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A claim carries the limits of the plan under which it was accepted: a step reads
// them there and never asks who the caller was. Claims on one extraction may have
// different limits. Each is judged by its own and ends alone if they do not permit
// what is to be done; the work goes on as far as the widest of those left permit.

// limits are those of the plan under which a request is accepted.
func (s Submission) limits(now time.Time) db.Limits {
	plan := s.Plan
	limits := db.Limits{
		ASR:            s.Upload != nil || plan.ASR,
		MaxDuration:    int64(plan.MaxDuration / time.Second),
		Period:         plan.Period(now).Start,
		Transcripts:    plan.TranscriptsPerPeriod,
		ASRMinutes:     plan.ASRMinutesPerPeriod,
		ASRConcurrency: plan.ASRConcurrency,
		ASRWaiting:     plan.ASRWaiting,
		ActionLabel:    plan.ActionLabel,
		ActionURL:      plan.ActionURL,
	}
	if plan.MaxDuration == account.Unlimited {
		limits.MaxDuration = account.Unlimited
	}
	return limits
}

// judge ends the claims on an extraction whose limits do not permit its sound to be
// recognized. When nobody else waits, the extraction has ended with them.
func (p *Pipeline) judge(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
	claims, err := tx.LockClaims(ctx, e.ID)
	if err != nil {
		return err
	}
	refused := slices.DeleteFunc(claims, func(c db.Job) bool { return c.Limits.ASR })
	if len(refused) == 0 {
		return nil
	}
	reason, err := noRecognition(ctx, tx, subjectOfExtraction(e))
	if err != nil {
		return err
	}
	return p.settle(ctx, tx, e, refused, db.End{Status: transcript.JobFailed, Error: codedError(reason)})
}

// noRecognition is the end of a request that only recognition could answer, for
// an account that may not have it.
func noRecognition(ctx context.Context, tx *db.Tx, sub subject) (*transcript.Error, error) {
	c, err := tx.Content(ctx, sub.Platform, sub.ExternalID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	if err != nil || len(c.Tracks) == 0 {
		return transcript.Errorf(transcript.NoTranscript, "The content has no captions, and the plan does not include speech recognition."), nil
	}
	e := transcript.Errorf(transcript.LanguageNotAvailable, "There are no captions in %s, and the plan does not include speech recognition.", clip.Text(sub.languages.String()))
	e.AvailableLanguages = languagesOf(c.Tracks)
	return e, nil
}
