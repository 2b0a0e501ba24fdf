package request

import (
	"fmt"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Commas is a list of texts in one string. Commas separate the texts, with or without spaces
// around them. The list has fewest to most texts of 1 to longest characters each.
func Commas(fewest, most, longest int) Kind[[]string] {
	take := func(s string) ([]string, error) {
		if n := strings.Count(s, ",") + 1; n < fewest || n > most {
			return nil, faultf(transcript.IssueLength, "must have %d to %d entries, not %d", fewest, most, n)
		}
		entries := strings.Split(s, ",")
		for i := range entries {
			entries[i] = strings.TrimSpace(entries[i])
			if err := ofLength(entries[i], 1, longest); err != nil {
				return nil, fmt.Errorf("has an entry, counted from 0 the number %d, which %w", i, err)
			}
		}
		return entries, nil
	}
	plain := func(entries []string) any { return strings.Join(entries, ",") }
	return kindOf(texts, take, plain, func() Schema { return Schema{} })
}
