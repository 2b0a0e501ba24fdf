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
// most 5 s earlier where a new line follows, 0.25 s where not. Lines are compared
// with their spaces folded, U+00A0 among them, and without characters of no width.
// A line whose words have times of their own is spoken again, and stays. So does
// every repetition in a track of which less than a quarter of the cues roll: there
// it is a refrain. Two cues in a row that show the same are one.
//
// A line has the time from its first word to the end of its last one where their
// times are known. Else it has that of the cue, or its share of it by length when
// the cue has several new lines. A line that goes on longer than until the next
// one starts is cut off there, in rolling tracks and in those of which half of the
// cues overlap.
//
// A track in which people placed each cue on purpose is better left alone.
func Unroll(segments []transcript.Segment) []transcript.Segment {
	if lines, ok := unroll(segments); ok {
		return lines
	}
	if !overlapping(segments) {
		return segments
	}
	u := unroller{out: make([]transcript.Segment, 0, len(segments))}
	for _, s := range segments {
		part := u.put(s.Start, s.Duration)
		s.Start, s.Duration = part.Start, part.Duration
		*part = s
	}
	return u.out
}

// early is how many cues are taken to roll before there is much to tell by.
const early = 64

// unroll gathers the lines of a track without repetitions; ok is false when it
// does not roll. That is known at its end only, but a track that has rolled so far
// is gathered as it is looked at: large ones leave the processor's cache.
func unroll(segments []transcript.Segment) (lines []transcript.Segment, ok bool) {
	var u unroller
	var before, these []string // the lines of the cue before, and of the one at hand
	var late []fit             // of the cues that are not gathered yet
	for i := range segments {
		before, these = these, appendLines(before[:0], segments[i].Text)
		f := u.fit(segments, i, before, these)
		switch {
		case late == nil && (i < early || u.rolling()):
			u.add(segments, i, these, f)
			continue
		case late == nil:
			late = make([]fit, 0, len(segments)-i)
		}
		late = append(late, f)
	}
	if !u.rolling() {
		return nil, false
	}
	for k, f := range late {
		i := len(segments) - len(late) + k
		these = appendLines(these[:0], segments[i].Text)
		u.add(segments, i, these, f)
	}
	return u.out, true
}

// fit is how a cue goes on from the one before it.
type fit struct {
	shown uint8 // how many of its lines were shown before, a growing one included
	grows bool  // the last of them has more words now
	fresh uint8 // how many lines come after those
	words int32 // how many of its words were shown before, with nothing new among them
}

// unroller gathers lines.
type unroller struct {
	out []transcript.Segment

	pairs, rolls, grows int // cues that another one goes before, and how they go on
}

// rolling tells that the track rolls, as far as its cues were fitted.
func (u *unroller) rolling() bool {
	return u.rolls > 0 && 4*(u.rolls+u.grows) >= u.pairs || u.grows > 0 && 2*u.grows >= u.pairs
}

// fit fits cue i, which has these lines, to the one before.
func (u *unroller) fit(segments []transcript.Segment, i int, before, these []string) (f fit) {
	s := &segments[i]
	if gap := s.Start - segments[max(i-1, 0)].End(); i > 0 && gap <= stays {
		u.pairs++
		f = fitOne(before, these, s.Words)
		switch {
		case gap > adjoins && (f.grows || int(f.shown) == len(these)):
			f = fit{}
		case f.grows:
			u.grows++
		case f.shown > 0 && (int(f.shown) < len(these) || s.Duration <= instant):
			u.rolls++
		}
	}
	f.fresh = uint8(len(these) - int(f.shown))
	return f
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
			known := 0
			for _, line := range these[:n-1] {
				known += wordsOf(words[known:], line)
			}
			known += wordsOf(words[known:], these[n-1][:end])
			if f.words = int32(known); !spokenAgain(words, known, f.grows) {
				return f
			}
		}
	}
	return fit{}
}

// spokenAgain tells that the first n words, which seem to be shown again, have
// times of their own. A word alone that grows is told by the one after it.
func spokenAgain(words []transcript.Word, n int, grows bool) bool {
	if n == 1 && grows {
		n = min(2, len(words))
	}
	return n > 0 && words[0].Start != words[n-1].Start
}

// wordsOf is how many of the words, which have no spaces in them, a line has.
func wordsOf(words []transcript.Word, line string) int {
	n := 0
	for left := len(line) - strings.Count(line, " "); n < len(words) && left > 0; n++ {
		left -= len(words[n].Text)
	}
	return n
}

// appendLines cuts a text into its lines, at most 255.
func appendLines(lines []string, text string) []string {
	for len(lines) < math.MaxUint8-1 {
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			break
		}
		lines, text = append(lines, text[:end]), text[end+1:]
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

// add takes what is new in cue i, which has these lines.
func (u *unroller) add(segments []transcript.Segment, i int, these []string, f fit) {
	if fresh := int(f.fresh); cap(u.out)-len(u.out) < fresh { // as many places as the lines so far let expect
		left := len(segments) - i
		u.out = slices.Grow(u.out, len(u.out)*left/max(i, 1)+min(left, early)+fresh)
	}
	s := &segments[i]
	words := s.Words[f.words:]
	if f.grows {
		line := these[f.shown-1]
		n := wordsOf(s.Words, strings.Join(these[:f.shown], " ")) - int(f.words)
		u.grow(line, words[:n], s.End())
		words = words[n:]
	}
	if f.fresh == 0 && s.Duration <= instant && len(u.out) > 0 {
		u.last().Duration = until(u.last(), s.End()) // the line that was built has ended
	}
	total, before := 0, 0
	for _, line := range these[f.shown:] {
		total += len(line)
	}
	for i, line := range these[f.shown:] {
		n := len(words)
		if i+1 < int(f.fresh) {
			n = wordsOf(words, line)
		}
		var own []transcript.Word
		var start, end float64
		if n > 0 {
			own, words = words[:n:n], words[n:]
			start, end = own[0].Start, own[n-1].End
		} else {
			start = s.Start + s.Duration*float64(before)/float64(total)
			end = s.Start + s.Duration*float64(before+len(line))/float64(total)
		}
		before += len(line)
		start = millisecond(start)
		part := u.put(start, millisecond(max(0, end-start)))
		part.Text, part.Words = line, own
		part.Speaker, part.Confidence = s.Speaker, s.Confidence
	}
}

// grow gives the last line the words that it has now.
func (u *unroller) grow(line string, words []transcript.Word, end float64) {
	last := u.last()
	last.Text = line
	if had := len(last.Words); had > 0 {
		last.Words = append(last.Words[:had:had], words...) // the old ones are the caller's
	}
	last.Duration = until(last, end)
}

func (u *unroller) last() *transcript.Segment { return &u.out[len(u.out)-1] }

// until is how long s lasts when it ends no earlier than end.
func until(s *transcript.Segment, end float64) float64 {
	return millisecond(max(s.Duration, end-s.Start))
}

// put appends a line, for which there is room, and which ends the last one. It
// returns the line for the rest to be filled in, where it is not copied.
func (u *unroller) put(start, duration float64) *transcript.Segment {
	if len(u.out) > 0 {
		last := u.last()
		if start < last.Start {
			duration = max(0, millisecond(start+duration-last.Start))
			start = last.Start
		}
		if last.End() > start {
			last.Duration = millisecond(start - last.Start)
			last.Words = endBy(last.Words, start)
		}
	}
	u.out = u.out[:len(u.out)+1]
	s := u.last()
	s.Start, s.Duration = start, duration
	return s
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
