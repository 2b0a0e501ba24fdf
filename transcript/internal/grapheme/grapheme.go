// Package grapheme finds where a character of a text ends. A character is what people
// take for one: a grapheme cluster of Unicode (UAX 29), which may have many code points.
package grapheme

import (
	"bytes"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/width"
)

// firstWide is the first rune that takes two columns by itself.
const firstWide = 0x1100

// emojiStyle turns the preceding sign into an emoji, which otherwise is text.
const emojiStyle = "\uFE0F"

// First returns the size of the first character of text, and how many columns it takes.
// text is not empty and has no line break. A character takes two columns if Unicode's
// East Asian Width is wide or full, or if it is an emoji, and otherwise one.
func First(text []byte) (size, columns int) {
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
	if wide(r) || len(first) > size && bytes.Contains(first, []byte(emojiStyle)) {
		return len(first), 2
	}
	return len(first), 1
}

// wide reports whether a rune takes two columns by itself. uniseg also reports widths, but
// treats wide signs that become emoji only with emojiStyle, such as U+3030, as narrow.
func wide(r rune) bool {
	if r < firstWide {
		return false
	}
	if 0x1F1E6 <= r && r <= 0x1F1FF { // a letter of a flag
		return true
	}
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

// Count counts the characters of text that begin before n, up to most. end is the end
// of the last counted character, and last its size. end is beyond n if n is inside a
// character.
func Count(text []byte, n, most int) (chars, end, last int) {
	for end < n && chars < most {
		last, _ = First(text[end:])
		end += last
		chars++
	}
	return chars, end, last
}

// alone returns the columns of a rune from a block of letters and signs that never
// combine with each other, and otherwise 0. Some other runes never combine either, but
// only uniseg knows them.
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
