// Package clip limits foreign texts that are repeated in an answer or in a log.
package clip

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Most is how many characters (Unicode code points) Text keeps.
const Most = 100

// Text returns the first [Most] characters of s, followed by "…" if s is longer. See [To].
func Text(s string) string { return To(s, Most) }

// To returns s if it has at most most characters (code points, at least 1); otherwise it
// returns the beginning of s, at most that long, and "…". It does not separate a letter from
// its marks unless they alone are too long. If s is cut, invalid UTF-8 becomes U+FFFD. The time
// does not depend on the part of s that is cut off.
func To(s string, most int) string {
	head, whole := first(s, most)
	if whole {
		return s
	}
	return strings.ToValidUTF8(letters(head, s[len(head):]), "\uFFFD") + "…"
}

// first returns the first n characters of s, and whether they are the whole of s.
func first(s string, n int) (head string, whole bool) {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at], at == len(s)
}

// letters removes the last letter of head if rest continues that letter. It uses a few classes
// of characters, so that clients do not compile the tables of all grapheme clusters.
func letters(head, rest string) string {
	next, _ := utf8.DecodeRuneInString(rest)
	for cut := head; cut != ""; {
		last, size := utf8.DecodeLastRuneInString(cut)
		if !continues(cut, last, next) {
			return cut
		}
		cut, next = cut[:len(cut)-size], last
	}
	return head // it is one letter
}

// zwj joins the characters around it to one letter, such as a family.
const zwj = '\u200d'

// continues reports whether next belongs to the letter at the end of head, whose last
// character is last.
func continues(head string, last, next rune) bool {
	switch {
	case next == zwj, last == zwj, unicode.Is(unicode.M, next):
		return true
	case unicode.Is(skins, next), '\u1160' <= next && next <= '\u11ff': // and a vowel or final of Hangul
		return true
	}
	return unicode.Is(unicode.Regional_Indicator, next) && indicators(head)%2 == 1
}

// skins are the colors of the person before them.
var skins = &unicode.RangeTable{R32: []unicode.Range32{{Lo: 0x1F3FB, Hi: 0x1F3FF, Stride: 1}}}

// indicators counts the regional indicators at the end of s. Two of them are a flag.
func indicators(s string) (n int) {
	for s != "" {
		last, size := utf8.DecodeLastRuneInString(s)
		if !unicode.Is(unicode.Regional_Indicator, last) {
			break
		}
		s, n = s[:len(s)-size], n+1
	}
	return n
}
