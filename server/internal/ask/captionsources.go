package ask

import (
	"context"
	"log/slog"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Sources are the caption sources of this process. Readers and jobs ask them in the same
// way. A Sources is safe for concurrent use.
type Sources struct {
	all     []engine.CaptionSource
	log     *slog.Logger
	metrics *metrics.Metrics
}

// NewSources returns the sources, which are asked in this order.
func NewSources(all []engine.CaptionSource, log *slog.Logger, m *metrics.Metrics) *Sources {
	return &Sources{all, log, m}
}

// Of returns the sources that can read a platform.
func (s *Sources) Of(platform transcript.Platform) (all []engine.CaptionSource) {
	for _, source := range s.all {
		if _, ok := source.Origin(platform); ok {
			all = append(all, source)
		}
	}
	return all
}

// Ask asks the sources of the platform in turn, until one source has the captions that
// the list asks for, or proves that there are none. If no source does, Ask returns the
// error with the most weight, together with the tracks and metadata that the sources have
// returned. It calls soFar with these tracks and metadata before it asks another source.
func (s *Sources) Ask(ctx context.Context, sub subject.Subject, soFar func(Finding, error)) (Finding, error) {
	sources := s.Of(sub.Platform)
	if len(sources) == 0 {
		return Finding{}, transcript.Errorf(transcript.NotImplemented, "This service cannot read the captions of %s.", sub.Platform.Words())
	}
	ctx = throttle.AsOne(ctx)
	var passed refusals
	for i, source := range sources {
		found, err := consult(ctx, source, sub)
		CountVisit(ctx, s.metrics, sub.Platform, metrics.Captions, found.Track == nil, err)
		if other, ok := passed.disagrees(found, err); ok {
			s.metrics.SourcesDisagree(sub.Platform)
			s.log.WarnContext(ctx, "caption sources disagree", "platform", sub.Platform, "content", sub.ExternalID,
				"source", found.origin, "says", says(found, err), "other", other.origin, "said", says(other.Finding, other.err))
		}
		found.tried = passed.tried
		if found.Lost != nil {
			s.log.WarnContext(ctx, "cues of captions are lost", "platform", sub.Platform, "content", sub.ExternalID,
				"track", found.Track.ID, "err", found.Lost)
		}
		if err == nil && !passed.contradicts(sub, found) || weight(err) == isGone {
			return found, err
		}
		passed.add(found, err)
		if ctx.Err() != nil {
			break
		}
		if i < len(sources)-1 {
			soFar(passed.learned, passed.reason)
		}
	}
	passed.learned.tried, passed.learned.unanswered = passed.tried, true
	return passed.learned, passed.reason
}

// consult asks one source and tidies its answer. The repeated lines of automatic captions
// are removed.
func consult(ctx context.Context, source engine.CaptionSource, sub subject.Subject) (f Finding, err error) {
	f.origin, _ = source.Origin(sub.Platform)
	f.Captions, err = source.Captions(ctx, sub.Content, sub.Pick)
	if err == nil {
		err = faithful(sub, f.Captions)
	}
	if err == nil && f.Track == nil && f.Unlisted && sub.WantsCaptions() {
		cure := engine.Cure(transcript.POTokenRequired)
		wanted := transcript.Errorf(transcript.POTokenRequired, "The platform wants a proof-of-origin token for some of its captions. %s", cure)
		wanted.Cure, err = cure, wanted
	}
	f.Metadata, f.Segments = TidyMetadata(f.Metadata), tidySegments(f.Segments)
	if f.Track != nil && f.Track.Kind == transcript.TrackAuto {
		f.Segments = caption.Unroll(f.Segments)
	}
	return f, err
}
