// Package legible removes control characters, which a terminal or a page would obey, from
// texts.
package legible

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Rune returns r or its replacement: a space for a control character that is white space,
// except tabs and line feeds, and U+FFFD for every other control character (C0, DEL and C1).
func Rune(r rune) rune {
	switch {
	case r == '\n', r == '\t', !unicode.IsControl(r):
		return r
	case unicode.IsSpace(r):
		return ' '
	}
	return utf8.RuneError
}

// BreaksLine reports whether a name or a title must not hold r, because r would break the line in
// which the name is shown, or change the direction of the texts beside it: control characters, ends
// of lines, and marks of direction.
func BreaksLine(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// Text applies [Rune] to each character of s. It returns s itself if there are no control
// characters.
func Text(s string) string {
	if IsText(s) {
		return s
	}
	return strings.Map(Rune, s)
}

// suspects are the bytes with which control characters begin. U+0080 to U+009F begin with 0xC2,
// and so do other characters.
var suspects = func() (table [256]bool) {
	for c := range ' ' {
		table[c] = c != '\n' && c != '\t'
	}
	table[0x7F], table[0xC2] = true, true
	return table
}()

// IsText reports whether s, which is UTF-8, has no control character to replace. It checks
// bytes, which is faster than checking characters, because most texts have none.
func IsText[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; suspects[c] && (c != 0xC2 || i+1 < len(s) && s[i+1] < 0xA0) {
			return false
		}
	}
	return true
}

// Segment returns s with [Text] applied to its text, words and speaker. It does not change the
// words of s in place.
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
