package db

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes of s what it is found and ordered by, whatever its case and accents:
// decomposed, without marks, case folded. Both databases are given the same.
func fold(s string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
	return cases.Fold().String(plain)
}

// countWords counts the words of rendered segments by the rules of UAX 29: what
// has a letter or a digit in it.
func countWords(segmentsJSON []byte) (n int, err error) {
	var segments []struct{ Text string }
	if err := json.Unmarshal(segmentsJSON, &segments); err != nil {
		return 0, fmt.Errorf("store: segments: %w", err)
	}
	for _, s := range segments {
		var word string
		for rest, state := s.Text, -1; rest != ""; {
			word, rest, state = uniseg.FirstWordInString(rest, state)
			if strings.IndexFunc(word, isLetterOrDigit) >= 0 {
				n++
			}
		}
	}
	return n, nil
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
