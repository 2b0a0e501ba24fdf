package speechtest

import (
	"strings"
	"unicode"
)

// WordErrorRate is the least number of words to insert, delete or replace to make want from
// got, divided by the number of words in want. It may exceed 1. Case and punctuation do not
// count.
func WordErrorRate(want, got string) float64 {
	errors, words := WordErrors(want, got)
	return float64(errors) / float64(max(words, 1))
}

// WordErrors returns that number, and the number of words in want.
func WordErrors(want, got string) (errors, of int) {
	w, g := words(want), words(got)
	return distance(w, g), len(w)
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\''
	})
}

// distance computes the Levenshtein distance, row by row.
func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			replace := diagonal
			if x != y {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
