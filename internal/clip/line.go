package clip

import (
	"strings"
	"unicode"
)

// Line returns a text on one line: without control characters and marks of direction, with one
// space for each run of white space, and at most most code points long.
func Line(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.IsControl(r), unicode.In(r, unicode.Bidi_Control):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		s = strings.TrimSpace(string(runes[:most]))
	}
	return s
}
