package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Question asks for what is known of a content, without starting a job.
type Question struct {
	Account string
	// Plan is what the account may have.
	Plan    account.Plan
	Content engine.Content
	// Languages is the caller's list; nil when none was sent. Info has no use for
	// it.
	Languages transcript.LanguageList
}

// CaptionReport is a report with its segments rendered: Transcript.Segments is
// empty, SegmentsJSON holds them.
type CaptionReport struct {
	transcript.CaptionReport
	SegmentsJSON *packed.Bytes
	// Failure is set where the report is to be sent with the status of an error;
	// it is the report's own Error.
	Failure *transcript.Error
}

// Captions answers by the table of server/API.md, Captions. It never starts a
// job; the platform has 10 s. A text that comes from the platform takes a transcript of
// the allowance. The error is UNAVAILABLE for a missing asset, and
// TRANSCRIPT_QUOTA_EXCEEDED, which both get no report.
func (p *Pipeline) Captions(ctx context.Context, q Question) (*CaptionReport, error) {
	sub := subject.Of(q.Content, q.Languages)
	r := &CaptionReport{CaptionReport: transcript.CaptionReport{VideoID: sub.ExternalID, Tracks: []transcript.Track{}}}
	if !sub.WantsCaptions() {
		r.TrackMetadataStatus = transcript.TracksSkipped
		return r.requiresASR("The request asks for speech recognition only."), nil
	}
	begun := time.Now()
	text, err := p.cachedCaptions(ctx, sub, q.Account, subject.Within(q.Plan.CacheTTL))
	if err != nil {
		return nil, err
	}
	p.metrics.CacheAsked(metrics.ForCaptions, text != nil)
	if text != nil {
		r.TrackMetadataStatus, r.CaptionAvailable, r.Cached = transcript.TracksSkipped, yes(), true
		return r.shows(text), nil
	}
	plan := limits.Of(q.Plan, time.Now())
	if err := limits.HasTranscript(ctx, p.store.Reader, q.Account, plan); err != nil { // before any source is asked
		return nil, err
	}
	found, err := p.lookup(ctx, sub, begun)
	if found.Tracks != nil {
		r.Tracks = found.Tracks
	}
	switch {
	case err != nil:
		return p.captionsFailed(ctx, r, sub, err)
	case found.text != nil:
		if err := p.pay(ctx, q.Account, plan); err != nil {
			return nil, err
		}
		r.TrackMetadataStatus, r.CaptionAvailable = transcript.TracksOK, yes()
		return r.shows(found.text), nil
	case len(found.Tracks) == 0:
		r.TrackMetadataStatus, r.CaptionAvailable = transcript.TracksEmpty, no()
		return r.requiresASR("The content has no captions."), nil
	}
	r.TrackMetadataStatus = transcript.TracksOK
	return r.requiresASR("There are no captions in the languages asked for."), nil
}

// pay takes the transcript of a text that has just been read. The transcript was not
// reserved, so that a process that dies leaves no reservation behind. Other requests
// may have taken the last transcript by now. The text is in the cache even then.
func (p *Pipeline) pay(ctx context.Context, account string, l db.Limits) error {
	err := p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
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
		return fmt.Errorf("pipeline: paying for captions: %w", err)
	}
	return nil
}

// cachedCaptions returns the caption text of the cache that answers, or nil.
// Recognized text is not served here.
func (p *Pipeline) cachedCaptions(ctx context.Context, sub subject.Subject, account string, counts subject.Fresh) (*db.Transcript, error) {
	shelf, err := sub.Shelf(ctx, p.store.Reader, account, counts)
	if err != nil {
		return nil, err
	}
	text, _ := sub.Captions(shelf)
	if text == nil {
		return nil, nil
	}
	return p.store.Transcripts.ChangedAt(ctx, text.ID, text.UpdatedAt)
}

// captionsFailed reports that the platform could not be asked; an old text is
// better than none.
func (p *Pipeline) captionsFailed(ctx context.Context, r *CaptionReport, sub subject.Subject, cause error) (*CaptionReport, error) {
	coded := refusal(cause)
	if coded == nil {
		return nil, cause
	}
	p.log.WarnContext(ctx, "captions could not be read", "platform", sub.Platform, "content", clip.Text(sub.ExternalID), "err", cause)
	r.TrackMetadataStatus, r.TrackMetadataError, r.TrackMetadataErrorCode = transcript.TracksFailed, coded.Message, coded.Code
	text, err := p.cachedCaptions(ctx, sub, "", subject.AnyAge)
	if err != nil {
		return nil, err
	}
	if text != nil {
		r.Cached = true
		p.metrics.ServedStale(metrics.ForCaptions)
		return r.shows(text), nil
	}
	r.Status, r.Error, r.Failure = "error", coded, coded
	return r, nil
}

// shows makes it the report of a text that was found.
func (r *CaptionReport) shows(t *db.Transcript) *CaptionReport {
	shown := t.Transcript
	view.HideMetadata(&shown)
	r.Status, r.Language, r.Transcript, r.SegmentsJSON = "success", t.Lang, &shown, t.SegmentsJSON
	return r
}

// requiresASR makes it the report of a content that only recognition can answer.
func (r *CaptionReport) requiresASR(why string) *CaptionReport {
	r.Status, r.RequiresAsync = "error", true
	r.Error = transcript.Errorf(transcript.ASRRequiresAsync, "%s Ask for its transcript to have the speech recognized.", why)
	return r
}

func yes() *bool { return new(true) }

func no() *bool { return new(false) }
