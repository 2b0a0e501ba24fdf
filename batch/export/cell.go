package export

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// separators are the characters that may begin a new cell in a spreadsheet program; the
// comma is only one of them. Much of Europe splits lines at semicolons, and some
// programs split at tabs. Such a program ignores quotes in the middle of a cell, so
// quotes do not prevent the split.
const separators = ";|\t\r\n"

// appendCell appends a cell of CSV (RFC 4180), with quotes where RFC 4180 requires them.
// If a spreadsheet would take a text for a formula, an apostrophe goes before the text,
// at the beginning of the cell and after each separator in the cell. Bytes that are not
// valid UTF-8, and control characters except tabs and line breaks, become U+FFFD.
//
// Speech that begins with a dash gets no apostrophe. After a separator, this holds only
// in the last cell of a row: in other cells, a program that splits at the separator
// joins the speech to the next cells, and the result may be a formula.
func appendCell(dst []byte, s string, last bool) []byte {
	quoted := strings.ContainsAny(s, ",\""+separators) || strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ")
	if quoted {
		dst = append(dst, '"')
	}
	if s != "" && strings.IndexByte("\t\r\n", s[0]) >= 0 { // which some programs trim
		dst = append(dst, '\'')
	}
	speech := -1 // where the speech begins that continues to the end of the cell; -1 if it was not looked for
	for at := 0; at < len(s); {
		part := s[at:]
		if quoted { // otherwise the text has no separator
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
	formula // "=", "+", "-" or "@", also as a wide character: programs in East Asia treat both the same
	dash    // "- ", which may also begin speech
)

// beginning returns the kind of beginning that a text has. White space, quotes and
// invisible characters may precede it.
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

// beginOfSpeech returns the index from which the text consists of words up to its end.
// Words have no character that a formula needs to call a function or to name another
// file: no brackets, operators, slashes or hashes. An apostrophe follows a letter, and no
// letter follows an exclamation mark.
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

// spoken are the punctuation marks of written speech.
const spoken = `.,:;?!…"-–—%“”„«»‹›‘’¿¡♪♫。、，！？：「」『』・〜`
