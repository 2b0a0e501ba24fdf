package caption

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/internal/eight"
)

// timedWords reads as many words as b begins with in the form in which automatic
// captions have them: "<00:00:01.000><c> word</c>". It does what reading the three
// tags would do, and returns what follows.
func (t *cueText) timedWords(b []byte) []byte {
	const text = len("<00:00:00.000><c>")
	n := t.top()
	for len(b) > text && string(b[text-4:text]) == "><c>" && b[0] == '<' && !n.hidden {
		ms, ok := fullTimestamp(b[1:])
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
		from, to := last.word.from, last.word.to
		if to != m.at {
			from, to = wordAfter(t.out[:m.at], last.at)
		}
		for ; from < m.at; from, to = wordAfter(t.out[:m.at], to) {
			if len(words) == cap(words) {
				t.words = t.morePlaces(words[first:])
				words, first = t.words, 0
			}
			words = words[:len(words)+1]
			w := &words[len(words)-1] // filled in place, not copied
			w.Text, w.Start, w.End, w.Confidence = text[from:to], starts, ends, last.confidence
		}
		last = m
	}
	t.words = t.words[:len(words)] // no pointer is written
	return words[first:len(words):len(words)]
}

// wordAfter returns where the first word of b[i:] begins and ends in b; it begins at
// the end of b when there is none.
func wordAfter(b []byte, i int) (from, to int) {
	for i < len(b) {
		if size := whiteSpace(b[i:]); size > 0 {
			i += size
			continue
		}
		from = i
		for i += plain(b[i:]); i < len(b) && whiteSpace(b[i:]) == 0; {
			i += 1 + plain(b[i+1:])
		}
		return from, i
	}
	return len(b), len(b)
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
// in a cue: ASCII but white space, control characters, "<" and "&".
func plain(b []byte) int {
	n := 0
	for ; n+8 <= len(b); n += 8 {
		v := eight.Load(b[n:])
		if not := v.Below(' '+1) | v.Equal('<') | v.Equal('&') | v.Wide(); not != 0 {
			return n + not.First()
		}
	}
	for n < len(b) && isPlain(b[n]) {
		n++
	}
	return n
}

func isPlain(c byte) bool { return c > ' ' && c < utf8.RuneSelf && c != '<' && c != '&' }

// span is a stretch of a text, in bytes.
type span struct{ from, to int }
