package caption

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// stays is how long after the end of a cue, in seconds, its last lines may stand
	// above a new one; adjoins, how long they may stand alone, or grow.
	stays   = 5.0
	adjoins = 0.25
	// instant is the most that a cue lasts, in seconds, which only ends a line that
	// was built word by word.
	instant = 0.05
)

// Unroll makes clean segments of rolling captions, as machines write them: cues
// that show the last lines again above the new one, that build a line word by
// word, or that stay on the screen while the next one is spoken. The result has
// each line once, as a segment of its own, and nothing overlaps. Segments are as
// a reader returns them, sorted by start; they are not changed, and returned as
// they are when nothing rolls.
//
// What is shown again is a line at the top of a cue that ended the one before: at
// most 5 s earlier where a new line follows, 0.25 s where not. Lines are compared with their spaces folded, U+00A0 among
// them, and without characters of no width. A line whose words have times of
// their own is spoken again, and stays. So does every repetition in a track of
// which less than a quarter of the cues roll: there it is a refrain.
//
// A line has the time from its first word to the end of its last one where their
// times are known. Else it has that of the cue, or its share of it by length when
// the cue has several new lines. A line that goes on longer than until the next
// one starts is cut off there, in rolling tracks and in those of which half of the
// cues overlap.
//
// A track in which people placed each cue on purpose is better left alone.
func Unroll(segments []transcript.Segment) []transcript.Segment {
	fits, out := fitAll(segments)
	switch {
	case out > 0:
		u := unroller{out: make([]transcript.Segment, 0, out)}
		for i := range segments {
			u.add(&segments[i], fits[i])
		}
		return u.out
	case overlapping(segments):
		u := unroller{out: make([]transcript.Segment, 0, len(segments))}
		for _, s := range segments {
			u.put(s)
		}
		return u.out
	}
	return segments
}

// fit is how a cue goes on from the one before it.
type fit struct {
	shown uint8 // how many of its lines were shown before, a growing one included
	grows bool  // the last of them has more words now
	fresh uint8 // how many lines come after those
}

// fitAll fits each cue to the one before. lines is how many there are without
// repetitions; 0: the track does not roll.
func fitAll(segments []transcript.Segment) (fits []fit, lines int) {
	fits = make([]fit, len(segments))
	var last, these []string
	rolls, grows, pairs := 0, 0, 0
	for i := range segments {
		s := &segments[i]
		these = appendLines(these[:0], s.Text)
		f := fit{}
		if gap := s.Start - segments[max(i-1, 0)].End(); i > 0 && gap <= stays {
			pairs++
			f = fitOne(last, these, s.Words)
			switch {
			case gap > adjoins && (f.grows || int(f.shown) == len(these)):
				f = fit{}
			case f.grows:
				grows++
			case f.shown > 0 && (int(f.shown) < len(these) || s.Duration <= instant):
				rolls++
			}
		}
		f.fresh = uint8(len(these) - int(f.shown))
		lines += int(f.fresh)
		fits[i] = f
		last, these = these, last
	}
	if rolls > 0 && 4*(rolls+grows) >= pairs || grows > 0 && 2*grows >= pairs {
		return fits, lines
	}
	return nil, 0
}

// fitOne finds the most lines of a cue that the last one has ended with.
func fitOne(last, these []string, words []transcript.Word) fit {
	for from := max(0, len(last)-len(these)); from < len(last); from++ {
		n := len(last) - from
		if !slices.EqualFunc(last[from:len(last)-1], these[:n-1], sameLine) {
			continue
		}
		f := fit{shown: uint8(n)}
		if end, ok := beginsWith(these[n-1], last[len(last)-1]); ok {
			f.grows = end < len(these[n-1])
			if !spokenAgain(words, these[:n-1], these[n-1][:end], f.grows) {
				return f
			}
		}
	}
	return fit{}
}

// spokenAgain tells that words with times of their own are among the lines and the
// part of one that seem to be shown again. A word alone that grows is told by the
// one after it.
func spokenAgain(words []transcript.Word, lines []string, part string, grows bool) bool {
	if len(words) == 0 {
		return false
	}
	n := 0
	for _, line := range lines {
		n += wordsOf(words[n:], line)
	}
	n += wordsOf(words[n:], part)
	if n == 1 && grows {
		n = min(2, len(words))
	}
	return n > 0 && words[0].Start != words[n-1].Start
}

// wordsOf is how many of the words a line has.
func wordsOf(words []transcript.Word, line string) int {
	n := 0
	for left := solid(line); n < len(words) && left > 0; n++ {
		left -= solid(words[n].Text)
	}
	return n
}

// solid is how many bytes of s are no spaces.
func solid(s string) int { return len(s) - strings.Count(s, " ") }

// appendLines cuts a text into its lines, at most 255.
func appendLines(lines []string, text string) []string {
	for len(lines) < math.MaxUint8-1 {
		line, rest, more := strings.Cut(text, "\n")
		lines = append(lines, line)
		if !more {
			return lines
		}
		text = rest
	}
	return append(lines, text)
}

// sameLine tells that two lines look the same.
func sameLine(a, b string) bool {
	end, ok := beginsWith(a, b)
	return ok && end == len(a)
}

// beginsWith tells that a line begins with another one and ends there or goes on
// with another word; end is where.
func beginsWith(line, start string) (end int, ok bool) {
	if strings.HasPrefix(line, start) && (len(line) == len(start) || line[len(start)] == ' ') {
		return len(start), start != ""
	}
	some := false
	for {
		want, n := nextRune(start)
		got, m := nextRune(line[end:])
		switch {
		case n == 0 || want == ' ' && n == len(start): // start has ended
			if m == 0 || got == ' ' && end+m == len(line) {
				end = len(line)
			}
			return end, some && (end == len(line) || got == ' ')
		case want != got:
			return 0, false
		}
		some = some || want != ' '
		start, end = start[n:], end+m
	}
}

// nextRune returns the first rune of s that has a width, any run of spaces as one,
// and how many bytes there are up to its end; 0 at the end of s.
func nextRune(s string) (r rune, n int) {
	for n < len(s) {
		c, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case isGap(c):
			r = ' '
		case isWidthless(c):
		case r == ' ':
			return r, n
		default:
			return c, n + size
		}
		n += size
	}
	if r == ' ' {
		return r, n
	}
	return 0, 0
}

// isGap reports the spaces that may stand in a line.
func isGap(r rune) bool { return r == ' ' || r == '\u00A0' || r == '\u202F' || r == '\u3000' }

// isWidthless reports characters that show nothing: spaces of no width, joiners,
// marks of direction, the byte order mark.
func isWidthless(r rune) bool {
	return r >= '\u200B' && r <= '\u200F' || r >= '\u202A' && r <= '\u202E' || r >= '\u2060' && r <= '\u2069' || r == '\uFEFF' || r == '\u00AD'
}

// overlapping tells that half of the cues go on when the next one starts.
func overlapping(segments []transcript.Segment) bool {
	n := 0
	for i := 1; i < len(segments); i++ {
		if segments[i-1].End() > segments[i].Start {
			n++
		}
	}
	return n > 0 && 2*n >= len(segments)-1
}

// unroller gathers lines.
type unroller struct {
	out   []transcript.Segment
	lines []string
}

// add takes what is new in a cue.
func (u *unroller) add(s *transcript.Segment, f fit) {
	u.lines = appendLines(u.lines[:0], s.Text)
	shown, words := 0, s.Words
	for _, line := range u.lines[:f.shown] {
		shown += wordsOf(words[shown:], line)
	}
	words = words[shown:]
	if f.grows {
		u.grow(s, int(f.shown)-1)
	}
	if f.fresh == 0 {
		if s.Duration <= instant && len(u.out) > 0 { // the end of the line that was built
			last := &u.out[len(u.out)-1]
			last.Duration = millisecond(max(last.Duration, s.End()-last.Start))
		}
		return
	}
	total, before := 0, 0
	for _, line := range u.lines[f.shown:] {
		total += len(line)
	}
	for _, line := range u.lines[f.shown:] {
		part := *s
		part.Text = line
		from, to := float64(before)/float64(total), float64(before+len(line))/float64(total)
		part.Start, part.Duration = s.Start+from*s.Duration, (to-from)*s.Duration
		before += len(line)
		if n := wordsOf(words, line); n > 0 {
			part.Words, words = words[:n:n], words[n:]
			part.Start, part.Duration = part.Words[0].Start, part.Words[n-1].End-part.Words[0].Start
		}
		part.Start, part.Duration = millisecond(part.Start), millisecond(part.Duration)
		u.put(part)
	}
}

// grow gives the last line the words that it has as line n of a cue.
func (u *unroller) grow(s *transcript.Segment, n int) {
	last := &u.out[len(u.out)-1]
	if had := len(last.Words); had > 0 {
		words := s.Words
		for _, line := range u.lines[:n] {
			words = words[wordsOf(words, line):]
		}
		words = words[:wordsOf(words, u.lines[n])]
		known := wordsOf(words, last.Text)
		last.Words = append(last.Words[:had:had], words[known:]...) // the old ones are the caller's
	}
	last.Text = u.lines[n]
	last.Duration = millisecond(max(last.Duration, s.End()-last.Start))
}

// put appends a line, which ends the last one.
func (u *unroller) put(s transcript.Segment) {
	if len(u.out) > 0 {
		last := &u.out[len(u.out)-1]
		if s.Start < last.Start {
			s.Duration = max(0, millisecond(s.End()-last.Start))
			s.Start = last.Start
		}
		if last.End() > s.Start {
			last.Duration = millisecond(s.Start - last.Start)
			last.Words = endBy(last.Words, s.Start)
		}
	}
	u.out = append(u.out, s)
}

// endBy returns words of which none lasts longer.
func endBy(words []transcript.Word, end float64) []transcript.Word {
	if len(words) == 0 || words[len(words)-1].End <= end {
		return words
	}
	words = slices.Clone(words) // they are the caller's
	for i := range words {
		words[i].Start, words[i].End = min(words[i].Start, end), min(words[i].End, end)
	}
	return words
}

func millisecond(sec float64) float64 { return math.Round(sec*1000) / 1000 }
