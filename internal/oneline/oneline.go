// Package oneline makes texts of others safe to print.
package oneline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Of returns s as one line without control characters, which a terminal would obey.
// What is longer than most bytes is cut, and ends with a mark for the rest.
func Of(s string, most int) string {
	cut := len(s) > most
	if cut {
		s = s[:most]
		for i := 1; i < utf8.UTFMax && i <= most; i++ { // no letter is cut in two
			if rest := s[most-i:]; utf8.RuneStart(rest[0]) {
				if !utf8.FullRuneInString(rest) {
					s = s[:most-i]
				}
				break
			}
		}
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control)
	}), " ")
	if cut {
		s += "…"
	}
	return s
}
