package caption

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// timedWords reads as many words as b begins with in the form in which automatic
// captions have them: "<00:00:01.000><c> word</c>". It does what reading the three
// tags would do, and returns what follows.
func (t *cueText) timedWords(b []byte) []byte {
	const text = len("<00:00:00.000><c>")
	n := t.top()
	for len(b) > text && string(b[text-4:text]) == "><c>" && b[0] == '<' && !n.hidden {
		ms, ok := usual(b[1:])
		from := text
		if b[from] == ' ' {
			from++
		}
		to := from + plain(b[from:])
		if !ok || to == from || !bytes.HasPrefix(b[to:], []byte("</c>")) {
			break
		}
		at := len(t.out)
		if from > text {
			t.space(' ')
		}
		t.put(b[from:to], n.voice)
		t.marks = append(t.marks, mark{at: at, ms: ms, word: span{len(t.out) - (to - from), len(t.out)}})
		b = b[to+len("</c>"):]
	}
	return b
}

// timed gives every word of text the times of the timestamps around it. Words are
// what [strings.Fields] cuts, cut also at a timestamp.
func (t *cueText) timed(text string, start, end int64) []transcript.Word {
	words, first := t.words, len(t.words)
	last := mark{ms: start}
	at, ends := start, seconds(start)
	for _, m := range append(t.marks, mark{at: len(text), ms: end}) {
		at = min(max(at, m.ms), end)
		starts := ends
		ends = seconds(at)
		near := t.out[:min(m.at+8, len(t.out))] // plain looks that far
		from, to := last.word.from, last.word.to
		if to != m.at {
			from, to = wordAfter(near, last.at, m.at)
		}
		for ; from < m.at; from, to = wordAfter(near, to, m.at) {
			if len(words) == cap(words) {
				t.words = t.morePlaces(words[first:])
				words, first = t.words, 0
			}
			words = words[:len(words)+1]
			w := &words[len(words)-1] // filled in place, not copied
			w.Text, w.Start, w.End, w.Confidence = text[from:to], starts, ends, last.sure
		}
		last = m
	}
	t.words = t.words[:len(words)] // no pointer is written
	return words[first:len(words):len(words)]
}

// wordAfter returns where the first word of b[i:end] begins and ends in b; it begins
// at end when there is none.
func wordAfter(b []byte, i, end int) (from, to int) {
	for i < end {
		if size := whiteSpace(b[i:]); size > 0 {
			i += size
			continue
		}
		from = i
		for i += plain(b[i:]); i < end && whiteSpace(b[i:]) == 0; {
			i += 1 + plain(b[i+1:])
		}
		return from, min(i, end)
	}
	return end, end
}

// morePlaces makes room for more words of the cue that has these. Words are made in
// pieces, as strings are: of 8 KiB at first, then of 16, 32, and 64 from there on.
func (t *cueText) morePlaces(words []transcript.Word) []transcript.Word {
	n := min(max(204, 2*cap(t.words)), 1638)
	return append(make([]transcript.Word, 0, max(n, 2*len(words))), words...)
}

// whiteSpace returns the size of the white space that b begins with, 0 when it is
// none.
func whiteSpace(b []byte) int {
	switch c := b[0]; {
	case c == ' ':
		return 1
	case isPlain(c):
		return 0
	}
	r, size := utf8.DecodeRune(b)
	if !unicode.IsSpace(r) {
		return 0
	}
	return size
}

// plain returns how many characters b begins with that have no meaning of their own
// in a cue: ASCII but white space, control characters, "<" and "&". It looks at
// eight at once, as most words have no more.
func plain(b []byte) int {
	const every, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(b); n += 8 {
		v := binary.LittleEndian.Uint64(b[n:])
		low := v &^ high
		// The high bit of each character that is above ' ', not "<", not "&".
		is := (low + every*(0x7F-' ')) & (low ^ every*'<' + every*0x7F) & (low ^ every*'&' + every*0x7F)
		if not := (^is | v) & high; not != 0 {
			return n + bits.TrailingZeros64(not)/8
		}
	}
	for n < len(b) && isPlain(b[n]) {
		n++
	}
	return n
}

func isPlain(c byte) bool { return c > ' ' && c < utf8.RuneSelf && c != '<' && c != '&' }
