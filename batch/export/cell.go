package export

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// appendCell appends a cell of CSV (RFC 4180), quoted where it must be. A cell that a
// spreadsheet would take for a formula is preceded by an apostrophe. Bytes that are no
// text, and control characters but tabs and line breaks, become U+FFFD.
func appendCell(dst []byte, s string) []byte {
	formula := isFormula(s)
	quoted := strings.ContainsAny(s, ",\"\r\n") || strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ")
	if quoted {
		dst = append(dst, '"')
	}
	if formula {
		dst = append(dst, '\'')
	}
	for _, r := range s {
		switch {
		case r == '"':
			dst = append(dst, `""`...)
		case r != '\t' && r != '\n' && r != '\r' && unicode.IsControl(r):
			dst = utf8.AppendRune(dst, utf8.RuneError)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	if quoted {
		dst = append(dst, '"')
	}
	return dst
}

// isFormula reports whether a spreadsheet may take a cell for a formula: whether it
// begins with "=", "+", "-" or "@", also as a wide character, which programs in East
// Asia read alike. White space and what is invisible may stand before, as some
// programs trim it; a tab or a line break alone begins one too, as they may part the
// cell in two.
//
// A dash and a space begin what somebody says, which is left as it is unless it has
// what a formula needs to call or to fetch something.
func isFormula(s string) bool {
	switch {
	case s == "":
		return false
	case 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z': // nearly all
		return false
	case s[0] == '\t', s[0] == '\r', s[0] == '\n':
		return true
	}
	s = strings.TrimLeftFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	})
	first, size := utf8.DecodeRuneInString(s)
	switch first {
	case '-':
		return !strings.HasPrefix(s[size:], " ") || strings.ContainsAny(s, "(|[")
	case '=', '+', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '−':
		return true
	}
	return false
}
