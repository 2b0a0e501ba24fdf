package pipeline

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// finding is what a caption source has found.
type finding struct {
	engine.Captions
	origin transcript.Origin
	tried  []db.Tried // the sources that were passed over before
}

// captionSources are those that can read a platform, in the order to ask.
func (p *Pipeline) captionSources(platform transcript.Platform) (all []engine.CaptionSource) {
	for _, source := range p.engine.Captions {
		if _, ok := source.Origin(platform); ok {
			all = append(all, source)
		}
	}
	return all
}

// ask asks the caption sources of the platform, one after the other, until a source has
// the captions that the list asks for, or proves that there are none. If no source
// does, ask returns the error that counts most, together with the tracks and metadata
// that it has learned. ask calls soFar with these before each further source.
func (p *Pipeline) ask(ctx context.Context, sub subject.Subject, soFar func(finding, error)) (finding, error) {
	sources := p.captionSources(sub.Platform)
	if len(sources) == 0 {
		return finding{}, transcript.Errorf(transcript.NotImplemented, "This service cannot read the captions of %s.", sub.Platform.Words())
	}
	ctx = pace.AsOne(ctx)
	var passed refusals
	for i, source := range sources {
		found, err := consult(ctx, source, sub)
		p.countAnswer(ctx, sub.Platform, metrics.Captions, found.Track == nil, err)
		found.tried = passed.tried
		if found.Lost != nil {
			p.log.WarnContext(ctx, "cues of captions are lost", "platform", sub.Platform, "content", sub.ExternalID,
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
	return passed.learned, passed.reason
}

// consult asks one source and puts its answer in order. Automatic captions are
// unrolled.
func consult(ctx context.Context, source engine.CaptionSource, sub subject.Subject) (f finding, err error) {
	f.origin, _ = source.Origin(sub.Platform)
	f.Captions, err = source.Captions(ctx, sub.Content, sub.Pick)
	if err == nil {
		err = faithful(sub, f.Captions)
	}
	if err == nil && f.Track == nil && f.Unlisted && sub.WantsCaptions() {
		err = transcript.Errorf(transcript.POTokenRequired, "The platform wants a proof-of-origin token for some of its captions. %s", engine.Cure(transcript.POTokenRequired))
	}
	f.Metadata, f.Segments = tidyMetadata(f.Metadata), tidySegments(f.Segments)
	if f.Track != nil && f.Track.Kind == transcript.TrackAuto {
		f.Segments = caption.Unroll(f.Segments)
	}
	return f, err
}

// passedOver is the note, in a transcript's metadata, that a source was asked first
// and why it has not made the transcript.
func passedOver(source transcript.Origin, err error) db.Tried {
	coded := fault.OfJob(err)
	return db.Tried{Source: source, Code: coded.Code, Reason: coded.Message}
}

// allTried are the notes on all sources that were asked, the last one included.
func (f finding) allTried() []db.Tried { return append(f.tried, f.lacks()) }

// lacks is the note on a source that has answered, but has no track that the list
// asks for.
func (f finding) lacks() db.Tried {
	if len(f.Tracks) > 0 {
		return passedOver(f.origin, transcript.Errorf(transcript.LanguageNotAvailable, "There are no captions in the languages asked for."))
	}
	return passedOver(f.origin, transcript.Errorf(transcript.NoTranscript, "The content has no captions."))
}

// provenance returns the metadata of a transcript from captions: the track, the number
// of cues that could not be read, and the other sources that the service had asked.
func (f finding) provenance() map[string]any {
	m := map[string]any{"trackId": f.Track.ID, "trackKind": f.Track.Kind, "trackName": f.Track.Name}
	if f.Lost != nil {
		m["lostCues"] = f.Lost.Cues
	}
	if len(f.tried) > 0 {
		m["tried"] = f.tried
	}
	return m
}

// putContent stores what a platform said: the metadata and the track list.
func putContent(ctx context.Context, tx *db.Tx, sub subject.Subject, found finding) error {
	return tx.Contents.Put(ctx, &db.Content{
		Platform:   sub.Platform,
		ExternalID: sub.ExternalID,
		Metadata:   found.Metadata,
		Tracks:     found.Tracks,
	})
}

// text is the transcript made from the track that was read.
func (f finding) text(sub subject.Subject) *db.Transcript {
	now := transcript.At(time.Now())
	t := &db.Transcript{
		Transcript: transcript.Transcript{
			Platform:   sub.Platform,
			ExternalID: sub.ExternalID,
			SourceURL:  &sub.URL,
			Lang:       f.Track.Lang,
			Metadata:   f.provenance(),
			Source:     f.origin,
			Status:     transcript.Ready,
			CreatedAt:  now,
			UpdatedAt:  now,
		},
		SegmentsJSON: packed.Pack(wire.AppendSegments(nil, f.Segments)),
		WordsJSON:    packed.Pack(wire.AppendWords(nil, f.Segments)),
	}
	view.Describe(t, f.Metadata)
	return t
}
