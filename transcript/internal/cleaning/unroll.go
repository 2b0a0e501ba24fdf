// Package cleaning removes from captions what nobody has said: the repetitions of
// rolling captions, repeated drawings of a line, and sounds.
package cleaning

import (
	"math"
	"slices"
	"strings"
	"unicode"
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

// Unroll is Unroll of package caption.
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

// unroll gathers the lines of a track without repetitions. ok is false if the track
// does not roll. Only the end of the track shows this, but unroll gathers the lines
// while it looks at a rolling track: a second pass over a large track would miss the
// processor's cache.
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
	shown  uint8 // how many of its lines were shown before, a growing one included
	grows  bool  // the last of them has more words now
	joined bool  // what follows in the last of them is a line of its own
	fresh  uint8 // how many lines come after those
	end    int32 // how much of the last of them was shown before, in bytes
	words  int32 // how many of its words were shown before, with nothing new among them
}

// unroller gathers lines.
type unroller struct {
	out []transcript.Segment

	pairs, near, rolls, grows int   // cues that another one goes before, and how they go on
	ended                     bool  // the last cue only ended a line
	rows                      []int // of the last cue, see keepRows
}

// rolling reports whether the track rolls, as far as its cues were fitted.
func (u *unroller) rolling() bool {
	return u.rolls > 0 && 4*(u.rolls+u.grows) >= u.pairs || u.grows > 0 && 2*u.grows >= u.near && 8*u.grows >= u.pairs
}

// fit fits cue i, which has these lines, to the one before.
func (u *unroller) fit(segments []transcript.Segment, i int, before, these []string) (f fit) {
	s, from := &segments[i], 0
	if gap := s.Start - segments[max(i-1, 0)].End(); i > 0 && gap <= stays {
		f, from = u.fitNext(before, these, s.Words, gap <= adjoins)
		u.pairs++
		if gap <= adjoins {
			u.near++
		}
		switch {
		case (gap > adjoins || u.ended && s.Duration > instant) && (f.grows || int(f.shown) == len(these) && !f.joined):
			f = fit{}
		case f.grows, f.joined:
			u.grows++
		case f.shown > 0 && (int(f.shown) < len(these) || s.Duration <= instant):
			u.rolls++
		}
	}
	u.keepRows(these, f, from)
	if f.fresh = uint8(len(these) - int(f.shown)); f.joined {
		f.fresh = 1
	}
	u.ended = f.fresh == 0 && !f.grows && s.Duration <= instant
	return f
}

// fitNext fits a cue to the cue before. If both cues have one line, these shows the
// line of the cue before from the index from on.
func (u *unroller) fitNext(before, these []string, words []transcript.Word, near bool) (f fit, from int) {
	f = fitOne(before, these, words)
	if f.shown == 0 && len(before) == 1 && len(these) == 1 {
		return u.fitJoined(before[0], these[0], words, near)
	}
	return f, 0
}

// fitOne finds the most lines of a cue that the last one has ended with.
func fitOne(last, these []string, words []transcript.Word) fit {
	left := patience(last, these)
	for from := max(0, len(last)-len(these)); from < len(last) && left > 0; from++ {
		n := len(last) - from
		if !sameLines(last[from:len(last)-1], these[:n-1], &left) {
			continue
		}
		f := fit{shown: uint8(n)}
		if end, ok := beginsWith(these[n-1], last[len(last)-1], &left); ok {
			left -= size(these[:n])
			f.grows, f.end = end < len(these[n-1]), int32(end)
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

// spokenAgain reports whether the first n words, which look repeated, have times of
// their own. For a growing line the word after them decides: a single word has only one
// time, and so does a text that sounds like one word ("[ __ ]").
func spokenAgain(words []transcript.Word, n int, grows bool) bool {
	if n > 0 && grows {
		n = min(n+1, len(words))
	}
	return n > 0 && words[0].Start != words[n-1].Start
}

// wordsOf is how many of the words a line consists of.
func wordsOf(words []transcript.Word, line string) int {
	n, at := 0, 0
	for n < len(words) && at < len(line) {
		if line[at] == ' ' {
			at++
			continue
		}
		if word := words[n].Text; strings.HasPrefix(line[at:], word) {
			at += len(word)
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(line[at:])
		if !isGap(r) {
			break
		}
		at += size
	}
	return n
}

// appendLines cuts a text into its lines, at most 255, and leaves out those in which
// nothing is seen.
func appendLines(lines []string, text string) []string {
	for len(lines) < math.MaxUint8-1 {
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			break
		}
		if isSeen(text[:end]) {
			lines = append(lines, text[:end])
		}
		text = text[end+1:]
	}
	if isSeen(text) {
		lines = append(lines, text)
	}
	return lines
}

// isSeen reports whether a line shows more than spaces.
func isSeen(line string) bool {
	return line != "" && isPlain(line[0]) || strings.ContainsFunc(line, func(r rune) bool { return !isGap(r) && !isWidthless(r) })
}

// patience is how many bytes are compared to fit a cue to the one before it. Lines of
// speech differ within a word. Lines of one word that is repeated a thousand times do
// not, and fitting them in every way takes quadratic time.
func patience(last, these []string) int { return 4*(size(last)+size(these)) + 1<<10 }

// size is how many bytes lines have.
func size(lines []string) (n int) {
	for _, line := range lines {
		n += len(line)
	}
	return n
}

// sameLines reports whether two lists of equally many lines look the same. It subtracts
// the compared bytes from left.
func sameLines(a, b []string, left *int) bool {
	for i := range a {
		if end, ok := beginsWith(a[i], b[i], left); !ok || end < len(a[i]) {
			return false
		}
	}
	return true
}

// beginsWith reports whether a line begins with another one and ends there or goes on
// with another word; end is where. It takes what it compares off left.
func beginsWith(line, start string, left *int) (end int, ok bool) {
	if strings.HasPrefix(line, start) && (len(line) == len(start) || line[len(start)] == ' ') {
		*left -= len(start)
		return len(start), start != ""
	}
	some := false
	for {
		want, n := nextRune(start)
		got, m := nextRune(line[end:])
		*left -= n + m
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

// isGap reports the white space that may stand in a line, at which words are cut.
func isGap(r rune) bool { return r == ' ' || unicode.IsSpace(r) }

// isWidthless reports characters that show nothing: spaces of no width, joiners,
// marks of direction, the byte order mark.
func isWidthless(r rune) bool {
	return r >= '\u200B' && r <= '\u200F' || r >= '\u202A' && r <= '\u202E' || r >= '\u2060' && r <= '\u2069' || r == '\uFEFF' || r == '\u00AD'
}

// overlapping reports whether half of the cues go on when the next one starts.
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
	line := "" // the last of those that were shown
	if f.shown > 0 {
		line = these[f.shown-1]
	}
	if f.grows {
		n := wordsOf(s.Words, strings.Join(these[:f.shown], " ")) - int(f.words)
		u.grow(line, words[:n], s.End())
		words = words[n:]
	}
	if f.fresh == 0 && s.Duration <= instant && len(u.out) > 0 {
		u.last().Duration = until(u.last(), s.End()) // the line that was built has ended
	}
	these = these[f.shown:]
	if f.joined {
		these = []string{afterGap(line[f.end:])}
	}
	total, before := 0, 0
	for _, line := range these {
		total += len(line)
	}
	for i, line := range these {
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

// endBy returns words that end at end or earlier.
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

// isPlain reports ASCII but white space, control characters, "<" and "&".
func isPlain(c byte) bool { return c > ' ' && c < utf8.RuneSelf && c != '<' && c != '&' }
