// Package clip bounds what is repeated of somebody else's text, in an answer or
// in a log.
package clip

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Most is how many characters (Unicode code points) Text leaves.
const Most = 100

// Text returns the first [Most] characters of s, with "…" where that is not all.
// See [To].
func Text(s string) string { return To(s, Most) }

// To returns s if it has at most the given number of characters (code points,
// 1 at least), else its beginning, no longer than that, and "…". A letter is not
// parted from its marks unless they alone are too long. What is not UTF-8 becomes
// U+FFFD where s is cut. The time taken does not grow with s beyond what is left
// of it.
func To(s string, most int) string {
	head, whole := first(s, most)
	if whole {
		return s
	}
	return strings.ToValidUTF8(letters(head, s[len(head):]), "\uFFFD") + "…"
}

// first returns the first characters of s, and whether they are all of it.
func first(s string, n int) (head string, whole bool) {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at], at == len(s)
}

// letters is head without the letter that rest would go on with.
func letters(head, rest string) string {
	next, _ := first(rest, 1)
	end := 0 // of the last letter that is whole
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
