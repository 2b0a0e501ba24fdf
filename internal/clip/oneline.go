package clip

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine returns s as one line without control characters, which a terminal would obey. If s is
// longer than most bytes, OneLine cuts it and appends a mark.
func OneLine(s string, most int) string {
	cut := len(s) > most
	if cut {
		s = s[:most]
		for i := 1; i < utf8.UTFMax && i <= most; i++ { // do not cut a letter in two
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
