package pipeline

import (
	"context"
	"errors"
	"math"
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

// sharedTurn begins the name of a turn that the accounts of a plan share. The name of an
// account that an operator makes has no colon.
const sharedTurn = "plan:"

// limitsOf are those of a plan, for what is accepted now.
func limitsOf(plan account.Plan, now time.Time) db.Limits {
	limits := db.Limits{
		ASR:            plan.Recognizes(),
		MaxDuration:    int64(plan.MaxDuration / time.Second),
		Period:         plan.Period(now).Start,
		Transcripts:    plan.TranscriptsPerPeriod,
		ASRMinutes:     plan.ASRMinutesPerPeriod,
		ASRConcurrency: plan.ASRConcurrency,
		ASRWaiting:     plan.ASRWaiting,
		ActionLabel:    plan.ActionLabel,
		ActionURL:      plan.ActionURL,
	}
	if plan.SharedTurn {
		limits.Turn = sharedTurn + plan.Name
	}
	if plan.MaxDuration == account.Unlimited {
		limits.MaxDuration = account.Unlimited
	}
	return limits
}

// judge ends the claims on an extraction whose limits do not permit its sound to be
// recognized, and sets aside for the others the minutes that it takes. When nobody else
// waits, the extraction has ended with them. It may be judged anew when more is known.
func (p *Pipeline) judge(ctx context.Context, tx *db.Tx, e *db.Extraction, sound extent) error {
	claims, err := lockPlaces(ctx, tx, e)
	if err != nil {
		return err
	}
	return p.judgeClaims(ctx, tx, e, claims, sound)
}

// judgeClaims judges some of the claims on an extraction. The transaction has locked the
// places of their accounts.
func (p *Pipeline) judgeClaims(ctx context.Context, tx *db.Tx, e *db.Extraction, claims []db.Job, sound extent) error {
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
		return noRecognition(ctx, tx, subjectOfExtraction(e))
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
		if err := p.settle(ctx, tx, e, claims[i:i+1], db.End{Status: transcript.JobFailed, Error: codedError(refusal)}); err != nil {
			return err
		}
	}
	return nil
}

// refuse is why the sound of an extraction may not be recognized for a claim; where it
// may, the claim holds its minutes.
func refuse(ctx context.Context, tx *db.Tx, e *db.Extraction, c *db.Job, sound extent) (*transcript.Error, error) {
	if !c.Limits.ASR {
		return noRecognition(ctx, tx, subjectOfExtraction(e))
	}
	if err := tooLongFor(c.Limits, sound); err != nil {
		return err, nil //nolint:nilerr // it is what is asked for
	}
	ok, err := tx.Allowances.Reserve(ctx, c, db.Allowance{Transcripts: c.Held.Transcripts, Minutes: sound.minutes()})
	if err != nil || ok {
		return nil, err
	}
	u, err := tx.Allowances.Usage(ctx, c.Account, c.Limits.Period)
	if err != nil {
		return nil, err
	}
	u.Reserved.Minutes -= c.Held.Minutes // its own are not what is in its way
	return minutesUsedUp(c.Limits, u, sound), nil
}

// tooLongFor refuses a sound that is longer than limits permit; nil: it is not.
func tooLongFor(l db.Limits, sound extent) *transcript.Error {
	if sound.least <= longestFor(l, math.MaxInt64) {
		return nil
	}
	e := overPlan(l, transcript.VideoTooLong, "The media is longer than the "+transcript.LengthText(int(l.MaxDuration))+" that the plan includes.")
	return e.With("durationSec", sound.seconds()).With("limitSec", l.MaxDuration)
}

// longestFor is the longest media that limits permit, and the service.
func longestFor(l db.Limits, service time.Duration) time.Duration {
	if l.MaxDuration < 0 {
		return service
	}
	return min(time.Duration(l.MaxDuration)*time.Second, service)
}

// overPlan is the refusal of what limits do not permit, with where there is more.
func overPlan(l db.Limits, code transcript.Code, message string) *transcript.Error {
	e := transcript.Errorf(code, "%s", message)
	e.ActionLabel, e.ActionURL, e.UpgradeURL = l.ActionLabel, l.ActionURL, l.ActionURL
	return e
}

// noRecognition is the end of a request that only recognition could answer, for
// an account that may not have it.
func noRecognition(ctx context.Context, tx *db.Tx, sub subject) (*transcript.Error, error) {
	c, err := tx.Contents.Get(ctx, sub.Platform, sub.ExternalID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	var others []string
	if err == nil {
		others = languagesOf(c.Tracks)
	}
	if len(others) == 0 {
		return transcript.Errorf(transcript.NoTranscript, "The content has no captions, and the plan does not include speech recognition."), nil
	}
	e := transcript.Errorf(transcript.LanguageNotAvailable, "There are no captions in %s, and the plan does not include speech recognition.", clip.Text(sub.languages.String()))
	e.AvailableLanguages = others
	return e, nil
}
