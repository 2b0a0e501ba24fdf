// Package clip bounds foreign texts that are repeated in an answer or in a log.
package clip

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Most is how many characters (Unicode code points) Text keeps.
const Most = 100

// Text returns the first [Most] characters of s, followed by "…" if s is longer. See [To].
func Text(s string) string { return To(s, Most) }

// To returns s if it has at most most characters (code points, at least 1); otherwise it
// returns the beginning of s, at most that long, and "…". It does not separate a letter from
// its marks unless they alone are too long. If s is cut, invalid UTF-8 becomes U+FFFD. The time
// does not grow with the part of s that is cut off.
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

// letters removes the last letter of head if rest continues that letter.
func letters(head, rest string) string {
	next, _ := first(rest, 1)
	end := 0 // of the last whole letter
	for s, state := head+next, -1; ; {
		var letter string
		letter, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		if end+len(letter) > len(head) || s == "" {
			break
		}
		end += len(letter)
	}
	if end == 0 {
		return head
	}
	return head[:end]
}
