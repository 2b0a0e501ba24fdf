package format

import (
	"bytes"
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// advance returns the size of as many characters of text as n columns hold, or of
// all of it if that is less. Characters are grapheme clusters.
func (t *cueText) advance(text []byte, n int) int {
	if t.ascii || len(text) <= n { // none has more columns than bytes
		return min(n, len(text))
	}
	at := 0
	for at < len(text) {
		size, columns := cluster(text[at:])
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
		size, wide := cluster(text[at:])
		at += size
		columns += wide
	}
	return chars, columns
}

// firstWide is the first rune that takes two columns by itself.
const firstWide = 0x1100

// emojiStyle makes an emoji of the sign before it, which else is text.
const emojiStyle = "\uFE0F"

// cluster returns the size of the first character of text, which is not empty, and
// how many columns it takes: two where Unicode's East Asian Width is wide or full, or
// it is an emoji, else one.
func cluster(text []byte) (size, columns int) {
	if len(text) > 1 && text[0]|text[1] < utf8.RuneSelf {
		return 1, 1
	}
	r, size := utf8.DecodeRune(text)
	if columns := alone(r); columns > 0 {
		if size == len(text) {
			return size, columns
		}
		if next, _ := utf8.DecodeRune(text[size:]); alone(next) > 0 {
			return size, columns
		}
	}
	first, _, _, _ := uniseg.FirstGraphemeCluster(text, -1)
	switch {
	case len(first) > size && bytes.Contains(first, []byte(emojiStyle)):
		return len(first), 2
	case r < firstWide:
		return len(first), 1
	case 0x1F3FB <= r && r <= 0x1F3FF: // a tone of skin, which elsewhere is part of a character
		return len(first), 2
	}
	_, _, width, _ := uniseg.FirstGraphemeCluster(first[:size], -1)
	return len(first), min(max(width, 1), 2)
}

// alone returns the columns of a rune in a block of letters and signs of which no
// two are ever one character, else 0. Other runes may be too, which only uniseg
// knows.
func alone(r rune) (columns int) {
	switch {
	case r < 0x0300: // Latin
		return 1
	case r < 0x0370:
		return 0
	case r < 0x0483, 0x048A <= r && r < 0x0530: // Greek, Cyrillic
		return 1
	case 0x2010 <= r && r < 0x2028: // dashes, quotes
		return 1
	case 0x3001 <= r && r < 0x302A, 0x3041 <= r && r < 0x3099, 0x309B <= r && r < 0x3100: // Kana and its marks
		return 2
	case 0x3400 <= r && r < 0x4DC0, 0x4E00 <= r && r < 0xA000, 0xAC00 <= r && r < 0xD7A4, 0xFF01 <= r && r < 0xFF61: // Han, Hangul, wide forms
		return 2
	case 0xFF61 <= r && r < 0xFF9E: // narrow Kana
		return 1
	}
	return 0
}

// lastBreak returns the last place between the space and n where the line breaking of
// Unicode (UAX 14) lets a line of text end at a character of a script without
// spaces, 0 when there is none. Where scripts have spaces, it may not end at anything
// else. From half on, a place after a stop goes before the others, and so does the
// space.
func lastBreak(text []byte, space, half, n int) (last int) {
	at, stop := 0, 0
	if space > 0 {
		at = space + 1
	}
	if space >= half {
		stop = space
	}
	end := min(n+16, len(text)) // what follows n is looked at, but not all of it at every line
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

// hasUnspaced reports whether the character that place n is in, or one before it,
// is of a script without spaces.
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
