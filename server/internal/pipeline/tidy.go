package pipeline

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// An engine passes on what a platform says, which may be anything. These functions
// make it keep to the rules of the API before it is stored.

// faithful returns an error if a source has read another track than the list picks from
// the found tracks, or has read none although there is a match. Otherwise the text
// would be in a wrong language, or the answer would falsely say that there are no
// captions.
func faithful(s subject.Subject, c engine.Captions) error {
	n, wanted := s.Pick(c.Tracks)
	if !wanted && c.Track == nil || wanted && c.Track != nil && *c.Track == c.Tracks[n] {
		return nil
	}
	return transcript.Errorf(transcript.UpstreamFailed, "The platform's captions cannot be understood.").
		Because(errors.New("pipeline: the caption source has not read the track that was picked"))
}

// tidySegments puts the segments of a source in order: sorted, with text without
// control characters, and with a start and a duration of at least 0. A segment without
// a place on the media clock is dropped. An invalid duration becomes 0.
func tidySegments(all []transcript.Segment) []transcript.Segment {
	tidy := make([]transcript.Segment, 0, len(all))
	for _, s := range all {
		s = legible.Segment(s)
		if s.Text = strings.TrimSpace(s.Text); s.Text == "" || !finite(s.Start) {
			continue
		}
		s.Start, s.Duration = tidySpan(s.Start, s.End())
		s.Words = tidyWords(s.Words)
		tidy = append(tidy, s)
	}
	slices.SortStableFunc(tidy, func(a, b transcript.Segment) int { return cmp.Compare(a.Start, b.Start) })
	return tidy
}

func tidyWords(all []transcript.Word) (tidy []transcript.Word) {
	for _, w := range all {
		if !finite(w.Start) || !finite(w.Confidence) {
			continue
		}
		start, duration := tidySpan(w.Start, w.End)
		w.Start, w.End = start, start+duration
		tidy = append(tidy, w)
	}
	return tidy
}

func tidySpan(from, to float64) (start, duration float64) {
	start = max(from, 0)
	if finite(to) && to > start {
		duration = to - start
	}
	return start, duration
}

func finite(sec float64) bool { return !math.IsNaN(sec) && !math.IsInf(sec, 0) }

// tidyMetadata takes away what cannot be: a length that is none or of decades, a
// year that RFC 3339 cannot write.
func tidyMetadata(m transcript.Metadata) transcript.Metadata {
	if !(m.Duration > 0 && m.Duration < math.MaxInt32) { // so that it is not NaN either
		m.Duration = 0
	}
	if year := m.PublishedAt.Year(); year < 1 || year > 9999 {
		m.PublishedAt = transcript.Metadata{}.PublishedAt
	}
	m.Chapters = tidyChapters(m.Chapters)
	return m
}

// Bounds of what is kept of chapters.
const (
	maxChapters     = 500
	maxChapterTitle = 200 // in characters
)

// tidyChapters keeps the chapters that begin on the media clock, each later than the
// chapter before. Text before the first title is in no chapter.
func tidyChapters(all []transcript.Chapter) (tidy []transcript.Chapter) {
	for _, c := range all {
		c.Title = clip.Line(c.Title, maxChapterTitle)
		switch {
		case !(c.Start >= 0 && c.Start < math.MaxInt32), c.Title == "" && tidy == nil: // NaN is not in between either
			continue
		case tidy != nil && c.Start <= tidy[len(tidy)-1].Start:
			continue
		case len(tidy) == maxChapters:
			return tidy
		}
		tidy = append(tidy, c)
	}
	return tidy
}
