package format

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// advance returns the size of the first n characters of text, or of all of it if
// it has fewer. Characters are grapheme clusters.
func (t *cueText) advance(text []byte, n int) int {
	if t.ascii || len(text) <= n {
		return min(n, len(text))
	}
	at := 0
	for ; n > 0 && at < len(text); n-- {
		at += cluster(text[at:])
	}
	return at
}

// count counts the characters of text.
func (t *cueText) count(text []byte) int {
	if t.ascii {
		return len(text)
	}
	n := 0
	for at := 0; at < len(text); n++ {
		at += cluster(text[at:])
	}
	return n
}

// cluster returns the size of the first character of text, which is not empty.
func cluster(text []byte) int {
	if len(text) > 1 && text[0]|text[1] < utf8.RuneSelf {
		return 1
	}
	r, size := utf8.DecodeRune(text)
	if alone(r) {
		if size == len(text) {
			return size
		}
		if next, _ := utf8.DecodeRune(text[size:]); alone(next) {
			return size
		}
	}
	first, _, _, _ := uniseg.FirstGraphemeCluster(text, -1)
	return len(first)
}

// alone reports that r is in a block of letters and signs of which no two are
// ever one character. Other runes may be too, which only uniseg knows.
func alone(r rune) bool {
	switch {
	case r < 0x0300: // Latin
		return true
	case r < 0x0370:
		return false
	case r < 0x0483, 0x048A <= r && r < 0x0530: // Greek, Cyrillic
		return true
	case 0x2010 <= r && r < 0x2028: // dashes, quotes
		return true
	case 0x3001 <= r && r < 0x302A, 0x3041 <= r && r < 0x3099, 0x309B <= r && r < 0x3100: // Kana and its marks
		return true
	case 0x3400 <= r && r < 0xA000, 0xAC00 <= r && r < 0xD7A4, 0xFF01 <= r && r < 0xFF9E: // Han, Hangul, wide forms
		return true
	}
	return false
}
