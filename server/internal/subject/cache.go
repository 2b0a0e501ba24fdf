package subject

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Fresh reports whether facts from the given time are new enough.
type Fresh func(at time.Time) bool

// Within accepts facts younger than ttl: with account.Unlimited everything, with 0
// nothing.
func Within(ttl time.Duration) Fresh {
	if ttl == account.Unlimited {
		return AnyAge
	}
	return func(at time.Time) bool { return time.Since(at) < ttl }
}

// Since accepts facts from after a time.
func Since(start time.Time) Fresh {
	return func(at time.Time) bool { return !at.Before(start) }
}

// AnyAge accepts everything, however old.
func AnyAge(time.Time) bool { return true }

// Shelf returns the cached texts of the subject that are not too old. A text that a
// program stored never gets too old.
func (s Subject) Shelf(ctx context.Context, r db.Reader, account string, counts Fresh) (*db.Shelf, error) {
	shelf, err := r.Contents.Shelf(ctx, s.Owner, account, s.Platform, s.ExternalID)
	if err != nil {
		return nil, fmt.Errorf("subject: looking into the cache: %w", err)
	}
	shelf.Texts = slices.DeleteFunc(shelf.Texts, func(t db.ShelfText) bool { return !counts(t.UpdatedAt) && !isPutIn(t) })
	if shelf.Tracks != nil && !counts(shelf.TracksAt) {
		shelf.Tracks, shelf.TracksAt = nil, time.Time{}
	}
	return shelf, nil
}

// Answer returns the text on the shelf that answers the list, or nil: see
// docs/guides/languages.md.
func (s Subject) Answer(shelf *db.Shelf) *db.ShelfText {
	if Direct(s.Content) {
		if text := s.published(shelf); text != nil {
			return text
		}
		return recognized(shelf, s.ASRLanguage())
	}
	if !language.HasCaptions(s.Platform) {
		if text := putIn(shelf, s.ASRLanguage()); text != nil {
			return text
		}
		return recognized(shelf, s.ASRLanguage())
	}
	text, open := s.Captions(shelf)
	if text != nil || open {
		return text
	}
	if entry, asked := language.ASR(s.Languages); asked {
		return recognized(shelf, entry.Tag)
	}
	return recognized(shelf, "") // implied
}

// Captions returns the caption text that answers the list. Without one, open reports
// whether the platform may have a caption track that answers.
func (s Subject) Captions(shelf *db.Shelf) (text *db.ShelfText, open bool) {
	tags := language.Captions(s.Languages)
	if len(tags) == 0 {
		return nil, false
	}
	tracks := putInTracks(shelf)
	if shelf.Tracks == nil { // then only the first entry: a stored text of a program, or its exact tag
		if n, ok := language.MatchTrack(tags[0], tracks); ok {
			return captionIn(shelf, tracks[n].Lang), true
		}
		return captionIn(shelf, tags[0]), true
	}
	tracks = append(tracks, shelf.Tracks...)
	if n, ok := s.Pick(tracks); ok {
		return captionIn(shelf, tracks[n].Lang), true
	}
	return nil, false
}

// published returns the text of the publisher that answers the list of a direct link, or
// nil.
func (s Subject) published(shelf *db.Shelf) *db.ShelfText {
	if !s.WantsCaptions() {
		return nil
	}
	var texts []db.ShelfText
	var tracks []transcript.Track
	for _, t := range shelf.Texts {
		if t.Source != transcript.OriginASR {
			texts, tracks = append(texts, t), append(tracks, transcript.Track{Lang: t.Lang, Kind: transcript.TrackManual})
		}
	}
	if n, ok := s.Pick(tracks); ok {
		return &texts[n]
	}
	return nil
}

// captionIn returns a program's text in a language, or otherwise the captions.
func captionIn(shelf *db.Shelf, lang string) *db.ShelfText {
	if text := find(shelf, func(t db.ShelfText) bool { return isPutIn(t) && strings.EqualFold(t.Lang, lang) }); text != nil {
		return text
	}
	return find(shelf, func(t db.ShelfText) bool {
		return t.Source != transcript.OriginASR && strings.EqualFold(t.Lang, lang)
	})
}

// isPutIn reports whether the embedding program stored a text. Such a text is preferred
// to captions in the same language, and, if there are no captions, to recognized text.
func isPutIn(t db.ShelfText) bool { return t.Source == transcript.OriginManual }

// putIn returns the newest text that the embedding program stored, in a language if one
// is named.
func putIn(shelf *db.Shelf, lang string) *db.ShelfText {
	return find(shelf, func(t db.ShelfText) bool {
		return isPutIn(t) && (lang == "" || language.Same(t.Lang, lang))
	})
}

// putInTracks returns the texts that the embedding program stored, as tracks that lists
// are matched with.
func putInTracks(shelf *db.Shelf) (tracks []transcript.Track) {
	for _, t := range shelf.Texts {
		if isPutIn(t) {
			tracks = append(tracks, transcript.Track{Lang: t.Lang, Kind: transcript.TrackManual})
		}
	}
	return tracks
}

// recognized is the newest recognized text, in a language if one is named.
func recognized(shelf *db.Shelf, lang string) *db.ShelfText {
	return find(shelf, func(t db.ShelfText) bool {
		return t.Source == transcript.OriginASR && (lang == "" || language.Same(t.Lang, lang))
	})
}

func find(shelf *db.Shelf, is func(db.ShelfText) bool) *db.ShelfText {
	if i := slices.IndexFunc(shelf.Texts, is); i >= 0 {
		return &shelf.Texts[i]
	}
	return nil
}
