package search

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// CountWords counts the words of a text by the rules of UAX 29: the parts that contain a
// letter or a digit.
func CountWords(segments []transcript.Segment) (n int) {
	for _, s := range segments {
		var word string
		for rest, state := s.Text, -1; rest != ""; {
			word, rest, state = uniseg.FirstWordInString(rest, state)
			if strings.IndexFunc(word, isLetterOrDigit) >= 0 {
				n++
			}
		}
	}
	return n
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
