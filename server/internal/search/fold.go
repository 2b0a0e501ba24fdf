package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns s without case and accents, for comparison and order. Fold decomposes s, drops
// the marks and folds the case. Fold of a folded text returns the same text.
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	plain := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me) {
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToValidUTF8(s, "\uFFFD")))
	return cases.Fold().String(plain)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
