package caption

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/internal/eight"
	"github.com/transcriptkit/transcriptkit/transcript/internal/letters"
)

// cueText turns the text of one WebVTT cue into a segment by the cue text
// parsing rules. Its buffers serve every cue of a file.
type cueText struct {
	raw  []byte // the lines of the cue, joined by LF
	open []node // elements that are open, the innermost last

	out   []byte // what is shown
	gap   byte   // white space between out and the next word: ' ', '\n' or none (0)
	marks []mark // timestamps in out

	speaker    []byte // whose words are in out, once there are some
	hasSpeaker bool
	voices     bool // there are several
	lax        bool // timestamps that are invalid in WebVTT are read as in SubRip

	strings strings.Builder   // see keep
	words   []transcript.Word // see timed
}

// node is an open element.
type node struct {
	kind   kind
	hidden bool   // its text is a ruby annotation
	voice  []byte // the speaker of its text; empty if unknown
}

// mark is a timestamp in the text.
type mark struct {
	at         int     // an offset
	ms         int64   // its milliseconds
	confidence float64 // in the words after it; 0 when the file tells none
	word       span    // the first of them, where that is known already
}

// kind is an element that the rules know; 0 is none of them, or the cue itself.
type kind byte

const (
	ruby       kind = 'r'
	annotation kind = 't'
	voice      kind = 'v'
)

func kindOf(name []byte) kind {
	switch string(name) {
	case "c", "i", "b", "u", "v":
		return kind(name[0])
	case "lang":
		return 'l'
	case "ruby":
		return ruby
	case "rt":
		return annotation
	}
	return 0
}

func (t *cueText) reset() {
	t.raw = t.raw[:0] // each alone, as then no pointer is written: that costs while garbage is collected
	t.open = t.open[:0]
	t.out = t.out[:0]
	t.marks = t.marks[:0]
	t.gap, t.hasSpeaker, t.voices = 0, false, false
}

// add appends a line, and reports whether there was room for it.
func (t *cueText) add(line []byte) bool {
	if len(t.raw)+1+len(line) >= maxBlock {
		return false
	}
	if len(t.raw) > 0 {
		t.raw = append(t.raw, '\n')
	}
	t.raw = append(t.raw, line...)
	return true
}

// segment parses the cue and fills s, with times in milliseconds.
func (t *cueText) segment(s *transcript.Segment, start, end int64) {
	t.parse(letters.ToText(t.raw))
	t.fill(s, start, end)
}

// fill fills s, with times in milliseconds, when there is text to show.
func (t *cueText) fill(s *transcript.Segment, start, end int64) {
	if len(bytes.TrimSpace(t.out)) == 0 {
		return
	}
	if !legible.IsText(t.out) {
		t.replaceControls()
	}
	if letters.HasInvisible(t.out) {
		if t.dropInvisible(); len(bytes.TrimSpace(t.out)) == 0 {
			return
		}
	}
	s.Text = t.keep(t.out)
	if len(t.speaker) > 0 && !t.voices {
		s.Speaker = legible.Text(t.keep(letters.Visible(t.speaker)))
	}
	end = max(start, end)
	s.Start, s.Duration = seconds(start), seconds(end-start)
	if len(t.marks) > 0 {
		s.Words = t.timed(s.Text, start, end)
	}
}

// replaceControls replaces the control characters of the text, so that nothing of a file
// steers a terminal or a page.
func (t *cueText) replaceControls() {
	out, marks := make([]byte, 0, len(t.out)+utf8.UTFMax), t.marks
	for at := 0; at < len(t.out); {
		for ; len(marks) > 0 && marks[0].at <= at; marks = marks[1:] {
			marks[0].at, marks[0].word = len(out), span{}
		}
		r, size := utf8.DecodeRune(t.out[at:])
		out = utf8.AppendRune(out, legible.Rune(r))
		at += size
	}
	for i := range marks {
		marks[i].at, marks[i].word = len(out), span{}
	}
	t.out = out
}

// dropInvisible leaves characters without a width out of the text.
func (t *cueText) dropInvisible() {
	marks := t.marks
	t.out = letters.DropInvisible(t.out, func(at, to int) {
		for ; len(marks) > 0 && marks[0].at <= at; marks = marks[1:] {
			marks[0].at, marks[0].word = to, span{}
		}
	})
	for i := range marks {
		marks[i].at, marks[i].word = len(t.out), span{}
	}
	for i := range t.marks {
		t.marks[i].at = min(t.marks[i].at, len(t.out))
	}
}

func seconds(ms int64) float64 { return float64(ms) / 1000 }

// keep returns b as a string. Strings are made in pieces of 16 KiB, so that
// they cost next to no allocation, and one that is kept does not keep a file.
func (t *cueText) keep(b []byte) string {
	if t.strings.Cap()-t.strings.Len() < len(b) {
		t.strings = strings.Builder{}
		t.strings.Grow(16 << 10)
	}
	from := t.strings.Len()
	t.strings.Write(b)
	return t.strings.String()[from:]
}

// parse walks the tokens. A tag goes from "<" to the next ">" or, without one, to
// the end of the cue.
func (t *cueText) parse(b []byte) {
	for b = t.timedWords(b); len(b) > 0; b = t.timedWords(b) {
		n, size := t.top(), 1
		switch c := b[0]; {
		case c == '<':
			for size < len(b) && b[size] != '>' { // most are too short for a search
				size++
			}
			t.tag(b[1:size])
			size = min(size+1, len(b))
		case n.hidden:
			size = untilTag(b)
		case c == '&':
			var text []byte
			text, size = letters.Reference(b)
			t.show(text, n.voice)
		case isSpace(c):
			t.space(c)
		default:
			size = folded(b)
			t.put(b[:size], n.voice)
		}
		b = b[size:]
	}
}

// untilTag returns how much of b is before the next tag.
func untilTag(b []byte) int {
	if i := bytes.IndexByte(b, '<'); i >= 0 {
		return i
	}
	return len(b)
}

// top is the innermost open element, or the cue itself.
func (t *cueText) top() node {
	if len(t.open) == 0 {
		return node{}
	}
	return t.open[len(t.open)-1]
}

func (t *cueText) tag(tag []byte) {
	switch {
	case len(tag) == 0:
	case tag[0] == '/':
		t.end(kindOf(tag[1:]))
	case '0' <= tag[0] && tag[0] <= '9':
		ms, rest, ok := timestamp(tag)
		if t.lax && (!ok || len(rest) > 0) {
			ms, rest, ok = srtTime(tag)
		}
		if ok && len(rest) == 0 {
			t.marks = append(t.marks, mark{at: len(t.out), ms: ms})
		}
	default:
		t.start(tag)
	}
}

// start opens an element: a name, classes after dots, and after white space an
// annotation. Unknown elements, and <rt> outside of <ruby>, are as if not there.
func (t *cueText) start(tag []byte) {
	size := 0
	for size < len(tag) && !isSpace(tag[size]) {
		size++
	}
	name := tag[:size]
	if size > 1 {
		name, _, _ = bytes.Cut(name, []byte("."))
	}
	n := t.top()
	within := n.kind
	n.kind = kindOf(name)
	switch n.kind {
	case 0:
		return
	case annotation:
		if within != ruby {
			return
		}
		n.hidden = true
	case voice:
		n.voice = speakerName(tag[size:])
	}
	t.open = append(t.open, n)
}

// end closes the innermost element if the element is of kind k, and ignores other end
// tags. One exception is </ruby>, which also ends an open annotation.
func (t *cueText) end(k kind) {
	within := t.top().kind
	switch {
	case k == 0:
	case k == within:
		t.open = t.open[:len(t.open)-1]
	case k == ruby && within == annotation:
		t.open = t.open[:len(t.open)-2]
	}
}

// maxName bounds, in bytes, the name of a speaker, which is compared at every word.
const maxName = 1 << 10

// speakerName returns the name of a speaker: an annotation with its references decoded
// and its white space folded. Of a long name it is the beginning.
func speakerName(b []byte) []byte { return cutName(annotationText(b)) }

// cutName returns the first maxName bytes of a name, in whole characters.
func cutName(b []byte) []byte {
	if len(b) <= maxName {
		return b
	}
	end := maxName
	for end > maxName-utf8.UTFMax && !utf8.RuneStart(b[end]) {
		end--
	}
	return b[:end]
}

// annotationText decodes an annotation and folds its white space.
func annotationText(b []byte) []byte {
	if bytes.IndexByte(b, '&') >= 0 {
		b = letters.DecodeReferences(b)
	}
	b = bytes.TrimFunc(b, isSpaceRune)
	for i, c := range b {
		if isSpace(c) && (c != ' ' || isSpace(b[i+1])) {
			return bytes.Join(bytes.FieldsFunc(b, isSpaceRune), []byte(" "))
		}
	}
	return b
}

func isSpaceRune(r rune) bool { return r < 0x80 && isSpace(byte(r)) }

// show adds decoded text, folding its white space.
func (t *cueText) show(b, voice []byte) {
	for {
		for len(b) > 0 && isSpace(b[0]) {
			t.space(b[0])
			b = b[1:]
		}
		if len(b) == 0 {
			return
		}
		n := folded(b)
		t.put(b[:n], voice)
		b = b[n:]
	}
}

// put adds words that are folded.
func (t *cueText) put(b, voice []byte) {
	if t.gap != 0 && len(t.out) > 0 {
		t.out = append(t.out, t.gap)
	}
	t.gap = 0
	t.out = append(t.out, b...)
	t.setSpeaker(voice)
}

// space records white space. A line break is the strongest white space.
func (t *cueText) space(c byte) {
	if c == '\n' {
		t.gap = c
	} else if t.gap == 0 {
		t.gap = ' '
	}
}

// folded returns how much of b, which begins with a word, is words with one space or
// line break between them. It may end before "<" and "&", which mean something in a
// cue.
func folded(b []byte) int {
	n := 1
	for n < len(b) {
		if n+8 <= len(b) {
			clear := unbroken(b[n:])
			if clear == 8 {
				n += 7 // what follows the eighth is not known
				continue
			}
			n += clear
		}
		c, last := b[n], n+1 == len(b)
		if isMarkup(c) || isSpace(c) && (last || isMarkup(b[n+1]) || isSpace(b[n+1]) || c != ' ' && c != '\n') {
			break
		}
		n++
	}
	return n
}

func isMarkup(c byte) bool { return c == '<' || c == '&' }

// unbroken returns how many of the first eight bytes of b go before a control
// character, markup, and a space that one of these or another space follows.
func unbroken(b []byte) int {
	v := eight.Load(b)
	controls, spaces := v.Below(' '), v.Below(' '+1) // a control character is a space, too
	markup := v.Equal('<') | v.Equal('&')
	return (controls | markup | spaces&(spaces|markup).Before()).First()
}

// setSpeaker records whose words were shown.
func (t *cueText) setSpeaker(voice []byte) {
	if !t.hasSpeaker {
		t.speaker, t.hasSpeaker = voice, true
	} else if !bytes.Equal(t.speaker, voice) {
		t.voices = true
	}
}
