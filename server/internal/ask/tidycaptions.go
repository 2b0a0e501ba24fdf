package ask

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

// The answer of a platform may contain anything. These functions make the answer follow
// the rules of the API before it is stored.

// faithful returns an error if a source has read a different track than the list of
// languages selects, or no track although the list selects one. Otherwise the text would
// be in a wrong language, or the service would report that there are no captions.
func faithful(s subject.Subject, c engine.Captions) error {
	n, wanted := s.Pick(c.Tracks)
	if !wanted && c.Track == nil || wanted && c.Track != nil && *c.Track == c.Tracks[n] {
		return nil
	}
	return transcript.Errorf(transcript.UpstreamFailed, "The platform's captions cannot be understood.").
		Because(errors.New("ask: the caption source has not read the track that was picked"))
}

// tidySegments sorts the segments of a source, removes control characters from the text,
// and makes each start and duration at least 0. A segment without a valid start is
// dropped. An invalid duration becomes 0.
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

// TidyMetadata removes impossible values: a negative length or a length of decades, and a
// year that RFC 3339 cannot represent.
func TidyMetadata(m transcript.Metadata) transcript.Metadata {
	if !(m.Duration > 0 && m.Duration < math.MaxInt32) { // false for NaN
		m.Duration = 0
	}
	if year := m.PublishedAt.Year(); year < 1 || year > 9999 {
		m.PublishedAt = transcript.Metadata{}.PublishedAt
	}
	m.Chapters = tidyChapters(m.Chapters)
	return m
}

// Bounds of the stored chapters.
const (
	maxChapters     = 500
	maxChapterTitle = 200 // in characters
)

// tidyChapters keeps the chapters with a valid start, each later than the chapter before.
// The time before the first title belongs to no chapter.
func tidyChapters(all []transcript.Chapter) (tidy []transcript.Chapter) {
	for _, c := range all {
		c.Title = clip.Line(c.Title, maxChapterTitle)
		switch {
		case !(c.Start >= 0 && c.Start < math.MaxInt32), c.Title == "" && tidy == nil: // true for NaN
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
