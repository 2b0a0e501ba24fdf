package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Question asks what the service or a platform knows about a content. It starts no job.
type Question struct {
	Account string
	Plan    account.Plan // of the account
	Content engine.Content
	// Languages is the caller's list; nil means the caller sent no list. Info ignores it.
	Languages transcript.LanguageList
}

// CaptionReport is a report with rendered segments: Text holds the segments, and
// Transcript.Segments is empty.
type CaptionReport struct {
	transcript.CaptionReport
	Text *db.Transcript // nil means that there is none
	// Failure is the report's own Error if the report is sent with the status of that error;
	// otherwise nil.
	Failure *transcript.Error
}

// Captions returns the captions of a content, by the table in docs/guides/languages.md. It
// starts no job. A text that comes from the platform uses a transcript of the account's
// allowance. Two errors come without a report: UNAVAILABLE for a missing content, and
// TRANSCRIPT_QUOTA_EXCEEDED.
func (s *Service) Captions(ctx context.Context, q Question) (*CaptionReport, error) {
	sub := subject.Of(q.Content, q.Languages)
	r := &CaptionReport{CaptionReport: transcript.CaptionReport{VideoID: sub.ExternalID, Tracks: []transcript.Track{}}}
	if !sub.WantsCaptions() {
		r.TrackMetadataStatus = transcript.TracksSkipped
		return r.requiresASR("The request asks for speech recognition only."), nil
	}
	looked := time.Now()
	text, err := s.cachedCaptions(ctx, sub, q.Account, subject.Within(q.Plan.CacheTTL))
	if err != nil {
		return nil, err
	}
	s.metrics.CacheAsked(metrics.ForCaptions, text != nil)
	if text != nil {
		r.TrackMetadataStatus, r.CaptionAvailable, r.Cached = transcript.TracksSkipped, new(true), true
		return r.shows(text), nil
	}
	plan := limits.Of(q.Plan, time.Now())
	if err := limits.HasTranscript(ctx, s.store.Reader, q.Account, plan); err != nil { // before asking the platform
		return nil, err
	}
	found, err := s.lookup(ctx, sub, looked)
	if found.Tracks != nil {
		r.Tracks = found.Tracks
	}
	switch {
	case err != nil:
		return s.captionsFailed(ctx, r, sub, err)
	case found.text != nil:
		if err := s.pay(ctx, q.Account, plan); err != nil {
			return nil, err
		}
		r.TrackMetadataStatus, r.CaptionAvailable = transcript.TracksOK, new(true)
		return r.shows(found.text), nil
	case len(found.Tracks) == 0:
		r.TrackMetadataStatus, r.CaptionAvailable = transcript.TracksEmpty, new(false)
		return r.requiresASR("The content has no captions."), nil
	}
	r.TrackMetadataStatus = transcript.TracksOK
	return r.requiresASR("There are no captions in the languages asked for."), nil
}

// pay takes one transcript from the allowance for a text that was just read. The service
// reserves nothing before. If a process dies, no reservation remains. Another request may
// have taken the last transcript meanwhile. The text stays in the cache.
func (s *Service) pay(ctx context.Context, account string, l db.Limits) error {
	err := s.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		ok, err := tx.Allowances.Pay(ctx, account, l, db.Allowance{Transcripts: 1})
		if err != nil || ok {
			return err
		}
		u, err := tx.Allowances.Usage(ctx, account, l.Period)
		if err != nil {
			return err
		}
		return limits.TranscriptsUsedUp(l, u)
	})
	if err != nil {
		return fmt.Errorf("ask: paying for captions: %w", err)
	}
	return nil
}

// cachedCaptions returns the caption text in the cache that answers the question, or nil.
// Recognized text does not count.
func (s *Service) cachedCaptions(ctx context.Context, sub subject.Subject, account string, counts subject.Fresh) (*db.Transcript, error) {
	shelf, err := sub.Shelf(ctx, s.store.Reader, account, counts)
	if err != nil {
		return nil, err
	}
	text, _ := sub.Captions(shelf)
	if text == nil {
		return nil, nil
	}
	return s.store.Transcripts.ChangedAt(ctx, text.ID, text.UpdatedAt)
}

// captionsFailed is the report if the platform gave no answer. If there is an expired
// text, the report has it.
func (s *Service) captionsFailed(ctx context.Context, r *CaptionReport, sub subject.Subject, cause error) (*CaptionReport, error) {
	coded := refusal(cause)
	if coded == nil {
		return nil, cause
	}
	s.log.WarnContext(ctx, "captions could not be read", "platform", sub.Platform, "content", clip.Text(sub.ExternalID), "err", cause)
	r.TrackMetadataStatus, r.TrackMetadataError, r.TrackMetadataErrorCode = transcript.TracksFailed, coded.Message, coded.Code
	text, err := s.cachedCaptions(ctx, sub, "", subject.AnyAge)
	if err != nil {
		return nil, err
	}
	if text != nil {
		r.Cached = true
		s.metrics.ServedStale(metrics.ForCaptions)
		return r.shows(text), nil
	}
	r.Status, r.Error, r.Failure = "error", coded, coded
	return r, nil
}

// shows adds a text to the report.
func (r *CaptionReport) shows(t *db.Transcript) *CaptionReport {
	shown := t.Transcript
	view.HideMetadata(&shown)
	r.Status, r.Language, r.Transcript, r.Text = "success", t.Lang, &shown, t
	return r
}

// requiresASR makes the report say that only recognition can answer the question.
func (r *CaptionReport) requiresASR(why string) *CaptionReport {
	r.Status, r.RequiresAsync = "error", true
	r.Error = transcript.Errorf(transcript.ASRRequiresAsync, "%s Ask for its transcript to have the speech recognized.", why)
	return r
}

// refusal is the coded error of a question without an answer. It is nil for UNAVAILABLE,
// which is an answer, and for faults without a code.
func refusal(err error) *transcript.Error {
	var coded *transcript.Error
	if !errors.As(err, &coded) || coded.Code == transcript.Unavailable {
		return nil
	}
	return coded
}
