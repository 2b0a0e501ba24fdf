package format

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/transcriptkit/transcriptkit/transcript/internal/grapheme"
)

// advance returns the size of the characters of text that fit into n columns, or the size
// of the whole text if it is shorter. Characters are grapheme clusters.
func (t *cueText) advance(text []byte, n int) int {
	if t.ascii || len(text) <= n { // no character has more columns than bytes
		return min(n, len(text))
	}
	at := 0
	for at < len(text) {
		size, columns := grapheme.First(text[at:])
		if n -= columns; n < 0 {
			break
		}
		at += size
	}
	return at
}

// count counts the characters of text, and their columns.
func (t *cueText) count(text []byte) (chars, columns int) {
	if t.ascii {
		return len(text), len(text)
	}
	for at := 0; at < len(text); chars++ {
		size, wide := grapheme.First(text[at:])
		at += size
		columns += wide
	}
	return chars, columns
}

// lastBreak returns the last place between the space and n at which a line of text may
// end, or 0 if there is none. The line breaking of Unicode (UAX 14) must allow the place,
// after a character of a script without spaces. In scripts with spaces, a line ends only
// at a space. From half on, lastBreak prefers a place after a stop to other places and to
// the space.
func lastBreak(text []byte, space, half, n int) (last int) {
	at, stop := 0, 0
	if space > 0 {
		at = space + 1
	}
	if space >= half {
		stop = space
	}
	end := min(n+16, len(text)) // the text after n matters, but lastBreak does not read all of it for every line
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	for state, rest := -1, text[at:end]; at < n; {
		var part []byte
		part, rest, _, state = uniseg.FirstLineSegment(rest, state)
		if at += len(part); at > n || len(rest) == 0 {
			break
		}
		before, _ := utf8.DecodeLastRune(text[:at])
		next, _ := utf8.DecodeRune(rest)
		if unspaced(before) || unspaced(next) {
			last = at
		}
		if at >= half && strings.ContainsRune("、。，．！？；：\u3000", before) {
			stop = at
		}
	}
	return cmp.Or(stop, last)
}

// hasUnspaced reports whether the character at place n, or one before it, belongs to a
// script without spaces.
func hasUnspaced(text []byte, n int) bool {
	for at := 0; at <= n && at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if unspaced(r) {
			return true
		}
		at += size
	}
	return false
}

// unspaced reports the characters of scripts that are written without spaces, with
// their punctuation.
func unspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r < 0x10A0, 0x1780 <= r && r < 0x1800: // Thai, Lao, Tibetan, Burmese, Khmer
		return true
	case 0x2E80 <= r && r < 0x3130, 0x3190 <= r && r < 0xA4D0, 0xF900 <= r && r < 0xFB00: // Han, Kana, Bopomofo, Yi
		return true
	}
	return 0xFE30 <= r && r < 0xFE50 || 0xFF01 <= r && r < 0xFFA0 || 0x20000 <= r && r < 0x40000
}
