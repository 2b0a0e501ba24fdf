// Package legible takes from texts what a terminal or a page would obey: control
// characters.
package legible

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Rune returns r, or what stands for it: a space for white space that is a control
// character, but for tabs and line feeds, and U+FFFD for every other control character
// (C0, DEL and C1).
func Rune(r rune) rune {
	switch {
	case r == '\n', r == '\t', !unicode.IsControl(r):
		return r
	case unicode.IsSpace(r):
		return ' '
	}
	return utf8.RuneError
}

// Text returns s with [Rune] of each character. Without control characters that is s.
func Text(s string) string {
	if IsText(s) {
		return s
	}
	return strings.Map(Rune, s)
}

// suspects are the bytes that control characters begin with: of U+0080 to U+009F that
// is 0xC2, which begins others too.
var suspects = func() (table [256]bool) {
	for c := range ' ' {
		table[c] = c != '\n' && c != '\t'
	}
	table[0x7F], table[0xC2] = true, true
	return table
}()

// IsText reports whether s, which is UTF-8, has no control character to replace. Most
// texts have none, and bytes are looked at faster than characters.
func IsText[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; suspects[c] && (c != 0xC2 || i+1 < len(s) && s[i+1] < 0xA0) {
			return false
		}
	}
	return true
}

// Segment returns s with [Text] of its text, its words and its speaker. The words of s
// stay as they are.
func Segment(s transcript.Segment) transcript.Segment {
	s.Text, s.Speaker = Text(s.Text), Text(s.Speaker)
	for i, w := range s.Words {
		if IsText(w.Text) {
			continue
		}
		words := slices.Clone(s.Words)
		for k := i; k < len(words); k++ {
			words[k].Text = Text(words[k].Text)
		}
		s.Words = words
		break
	}
	return s
}
