package chunk

import (
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/internal/grapheme"
)

// script is the text of segments on one line. It maps a place in the text to a time.
type script struct {
	text     []byte
	segments []transcript.Segment // the segments that have text
	from     []int                // where each segment begins in text, and where the last one ends
	chars    []int                // of each; 0 if not counted yet

	timed int   // the segment to which the words below belong
	words []int // where each of its words begins in text; nil means that its words are not known
}

// place is a place in a script, where a character begins.
type place struct {
	at      int // in the text, in bytes
	segment int // the segment that contains the place; after the last segment at the end
	into    int // how many characters of the segment precede the place
}

func newScript(segments []transcript.Segment) *script {
	s := &script{timed: -1, segments: make([]transcript.Segment, 0, len(segments)), from: make([]int, 0, len(segments)+1)}
	size := 0
	for i := range segments {
		size += len(segments[i].Text) + 1
	}
	s.text = make([]byte, 0, size)
	for _, seg := range segments {
		begin := len(s.text)
		for field := range strings.FieldsSeq(valid(seg.Text)) {
			s.text = append(append(s.text, field...), ' ')
		}
		if len(s.text) > begin {
			s.segments, s.from = append(s.segments, seg), append(s.from, begin)
		}
	}
	if n := len(s.text); n > 0 {
		s.text = s.text[:n-1]
	}
	s.from = append(s.from, len(s.text))
	s.chars = make([]int, len(s.segments))
	return s
}

// on returns the place that is the given number of characters after another place, at the
// byte at.
func (s *script) on(from place, at, chars int) place {
	to := place{at, from.segment, from.into + chars}
	for to.segment < len(s.segments) && s.from[to.segment+1] <= at {
		to.segment++
	}
	if to.segment != from.segment {
		begin := s.from[to.segment]
		to.into, _, _ = grapheme.Count(s.text[begin:], at-begin, math.MaxInt)
	}
	return to
}

// speakers are those who speak between two places, each once.
func (s *script) speakers(from, to place) (all []string) {
	for i := from.segment; i < len(s.segments) && (i == from.segment || s.from[i] < to.at); i++ {
		if who := s.segments[i].Speaker; who != "" && !slices.Contains(all, who) {
			all = append(all, who)
		}
	}
	return all
}

// until is when the text of a segment has been said: at the end of the segment, or when
// the next one begins, because some platforms show a segment for longer.
func (s *script) until(segment int) float64 {
	seg := s.segments[segment]
	if segment+1 < len(s.segments) {
		if next := s.segments[segment+1].Start; next > seg.Start {
			return min(seg.End(), next)
		}
	}
	return seg.End()
}

// startAt is when the text at a place is said, in seconds.
func (s *script) startAt(p place) float64 {
	seg := &s.segments[p.segment]
	if p.at == s.from[p.segment] {
		return seg.Start
	}
	if words := s.wordsOf(p.segment); words != nil { // the last word that begins at the place or before it
		return seg.Words[sort.SearchInts(words, p.at+1)-1].Start
	}
	return s.share(p)
}

// endAt is when the text from a segment to a place has been said, in seconds.
func (s *script) endAt(segment int, p place) (end float64) {
	for _, seg := range s.segments[segment:p.segment] {
		end = max(end, seg.End())
	}
	switch {
	case p.at == s.from[p.segment]:
		return end
	case s.wordsOf(p.segment) != nil: // the last word that begins before the place
		return max(end, s.segments[p.segment].Words[sort.SearchInts(s.words, p.at)-1].End)
	}
	return max(end, s.share(p))
}

// share is when a place within a segment is reached, if every character takes the same
// time.
func (s *script) share(p place) float64 {
	begin, end := s.from[p.segment], s.from[p.segment+1]
	if s.chars[p.segment] == 0 {
		s.chars[p.segment], _, _ = grapheme.Count(s.text[begin:], end-begin, math.MaxInt)
	}
	start := s.segments[p.segment].Start
	return start + (s.until(p.segment)-start)*float64(p.into)/float64(s.chars[p.segment])
}

// wordsOf is where each word of a segment begins in the text. It is nil if the words do
// not match the text.
func (s *script) wordsOf(segment int) []int {
	if s.timed == segment {
		return s.words
	}
	s.timed, s.words = segment, nil
	all, at, end := s.segments[segment].Words, s.from[segment], s.from[segment+1]
	blanks := func() {
		for at < end && s.text[at] == ' ' {
			at++
		}
	}
	words := make([]int, len(all))
	for i, w := range all {
		words[i] = at
		for field := range strings.FieldsSeq(valid(w.Text)) {
			blanks()
			if !strings.HasPrefix(string(s.text[at:min(at+len(field), end)]), field) {
				return nil
			}
			at += len(field)
		}
		blanks()
	}
	if at == end && len(all) > 0 {
		s.words = words
	}
	return s.words
}

// milliseconds rounds a time in seconds. A negative value or NaN becomes 0.
func milliseconds(seconds float64) int64 {
	if !(seconds > 0) {
		return 0
	}
	return int64(math.Round(min(seconds, 1e12) * 1000))
}

// valid is a text as JSON represents it: every byte that is not valid UTF-8 becomes
// U+FFFD.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
