package ask

import (
	"context"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Finding is the answer of a caption source.
type Finding struct {
	engine.Captions
	origin transcript.Origin
	tried  []db.Tried // the sources that were asked before, without success
	// unanswered is true if no source has answered: then tried contains all sources.
	unanswered bool
}

// Put stores the metadata and the list of tracks that the platform gave. Accounts share these, so
// nothing about a content of one account is stored.
func (f Finding) Put(ctx context.Context, tx *db.Tx, sub subject.Subject) error {
	if sub.Owner != "" {
		return nil
	}
	return tx.Contents.Put(ctx, &db.Content{
		Platform:   sub.Platform,
		ExternalID: sub.ExternalID,
		Metadata:   f.Metadata,
		Tracks:     f.Tracks,
	})
}

// Answered reports whether a source has answered, so that its list of tracks is complete.
func (f Finding) Answered() bool { return !f.unanswered }

// Transcript returns the transcript of the track that was read. There must be such a
// track.
func (f Finding) Transcript(sub subject.Subject) *db.Transcript {
	now := transcript.At(time.Now())
	t := &db.Transcript{
		Owner: sub.Owner,
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
	}
	view.SetSegments(t, f.Segments)
	view.Describe(t, f.Metadata)
	return t
}

// provenance is the metadata of a transcript from captions: the track, the number of
// unreadable cues, and the sources that were asked before.
func (f Finding) provenance() map[string]any {
	m := map[string]any{"trackId": f.Track.ID, "trackKind": f.Track.Kind, "trackName": f.Track.Name}
	if f.Lost != nil {
		m["lostCues"] = f.Lost.Cues
	}
	if len(f.tried) > 0 {
		m["tried"] = f.tried
	}
	return m
}

// Tried returns an entry for each source that was asked without success. The last entry is the
// reason why there is no text from captions. If a source has answered, its track list has no
// track in a requested language. If no source has such a track, answers that contradict other
// sources come first.
func (f Finding) Tried() []db.Tried {
	if !f.unanswered {
		return append(f.tried, f.lacks())
	}
	answered := slices.DeleteFunc(slices.Clone(f.tried), Failed)
	return append(answered, slices.DeleteFunc(slices.Clone(f.tried), func(t db.Tried) bool { return !Failed(t) })...)
}

// Failed reports whether a source was asked but did not answer.
func Failed(t db.Tried) bool {
	return t.Code != transcript.LanguageNotAvailable && t.Code != transcript.NoTranscript
}

// lacks is the entry for a source that answered without a track in the languages.
func (f Finding) lacks() db.Tried {
	if len(f.Tracks) > 0 {
		return passedOver(f.origin, transcript.Errorf(transcript.LanguageNotAvailable, "There are no captions in the languages asked for."))
	}
	return passedOver(f.origin, transcript.Errorf(transcript.NoTranscript, "The content has no captions."))
}

// passedOver is the entry, in a transcript's metadata, for a source that did not provide
// the transcript. It holds the reason.
func passedOver(source transcript.Origin, err error) db.Tried {
	coded := attempt.OfJob(err)
	return db.Tried{Source: source, Code: coded.Code, Reason: coded.Message}
}

// CaptionsBlocked reports whether work continued without captions because the platform blocked
// them, although the content may have captions. tried are the sources that the work has asked.
func CaptionsBlocked(tried []db.Tried) bool {
	unanswered := len(tried) > 0 && Failed(tried[len(tried)-1])
	return unanswered && slices.ContainsFunc(tried, func(t db.Tried) bool { return t.Code == transcript.IPBlocked })
}
