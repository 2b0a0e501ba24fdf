package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns s without case and accents, for comparison and order. Fold decomposes s, drops
// the marks, folds the case, and writes the letters that people type in another way. Fold of a
// folded text returns the same text.
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
	return typed.Replace(cases.Fold().String(plain))
}

// First returns the first n characters of s.
func First(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// Containing returns the pattern with which LIKE finds the folded texts that contain s. The escape
// character of the pattern is !.
func Containing(s string) string { return "%" + likeEscapes.Replace(s) + "%" }

var likeEscapes = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// typed replaces letters that Unicode does not decompose, although many keyboards have no key
// for them.
var typed = strings.NewReplacer("ı", "i", "œ", "oe", "æ", "ae")

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
