package export

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// separators are what a spreadsheet may split a line at: not the comma alone. A program
// that splits at semicolons, as in much of Europe, or at tabs does not honor quotes that
// begin in the middle of what it takes for a cell, so quotes do not keep it from splitting.
const separators = ";|\t\r\n"

// appendCell appends a cell of CSV (RFC 4180), quoted where it must be. A cell that a
// spreadsheet would take for a formula begins with an apostrophe, and so does what
// follows a separator within it. Bytes that are no text, and control characters but tabs
// and line breaks, become U+FFFD.
//
// Speech that begins with a dash is left as it is. Behind a separator that is so in the
// last cell of a row alone: elsewhere a program that splits there joins what follows to
// the cells behind it, which may make a formula of it.
func appendCell(dst []byte, s string, last bool) []byte {
	quoted := strings.ContainsAny(s, ",\""+separators) || strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ")
	if quoted {
		dst = append(dst, '"')
	}
	if s != "" && strings.IndexByte("\t\r\n", s[0]) >= 0 { // which some programs trim
		dst = append(dst, '\'')
	}
	speech := -1 // where speech begins that lasts to the end of the cell; -1: not looked for
	for at := 0; at < len(s); {
		part := s[at:]
		if quoted { // else it has no separator
			if end := strings.IndexAny(part, separators); end >= 0 {
				part = part[:end+1]
			}
		}
		switch beginning(part) {
		case formula:
			dst = append(dst, '\'')
		case dash:
			if speech < 0 {
				speech = beginOfSpeech(s)
			}
			if at < speech || at > 0 && !last {
				dst = append(dst, '\'')
			}
		}
		dst = appendText(dst, part)
		at += len(part)
	}
	if quoted {
		dst = append(dst, '"')
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
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
	return dst
}

// The kinds of beginnings of a text that a spreadsheet tells apart.
const (
	text    = iota
	formula // "=", "+", "-" or "@", also as a wide character, which programs in East Asia read alike
	dash    // "- ", which may also begin what somebody says
)

// beginning tells what a text begins with. White space, quotes and what is invisible may
// stand before it.
func beginning(s string) int {
	if s == "" || 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z' { // nearly all
		return text
	}
	s = strings.TrimLeftFunc(s, func(r rune) bool {
		return r == '"' || r == utf8.RuneError || unicode.In(r, unicode.Z, unicode.C, unicode.M)
	})
	if strings.HasPrefix(s, "- ") {
		return dash
	}
	if first, _ := utf8.DecodeRuneInString(s); strings.ContainsRune("=+-@＝＋－＠﹦﹢﹣﹫−", first) && s != "" {
		return formula
	}
	return text
}

// beginOfSpeech is the index from which a text has nothing but words to its end. Words
// hold nothing that a formula needs to call a function or to name another file: no
// brackets, operators, slashes and hashes; an apostrophe stands behind a letter, and no
// letter behind an exclamation mark.
func beginOfSpeech(s string) (begin int) {
	before := ' '
	for i, r := range s {
		word := unicode.In(r, unicode.L, unicode.M, unicode.N)
		switch {
		case r == '\'' && !unicode.IsLetter(before),
			word && (before == '!' || before == '！'),
			!word && r != '\'' && !unicode.IsSpace(r) && !strings.ContainsRune(spoken, r):
			begin = i + 1
		}
		before = r
	}
	return begin
}

// spoken are the marks of written speech.
const spoken = `.,:;?!…"-–—%“”„«»‹›‘’¿¡♪♫。、，！？：「」『』・〜`
