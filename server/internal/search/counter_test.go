package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestHitsAreThoseOfALookAtEachWord compares the hits of queries with a look at one word after the
// other. Parts that begin at one word matter in the order of the query.
func TestHitsAreThoseOfALookAtEachWord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "a", "b", "c"})
		segments := rapid.SliceOfN(rapid.SliceOfN(word, 0, 3), 0, 30).Draw(r, "segments")
		parts := rapid.SampledFrom([][]string{{"a b", "a", "c"}, {"a", "a b"}, {"c", "a a", "a"}, {"b c", "c"}, {"a b a"}, {"c", "b", "a"}, {"a b", "a", "c"}}).Draw(r, "parts")
		seconds := rapid.SampledFrom([]int{1, 4, 12}).Draw(r, "seconds")
		text := make([]transcript.Segment, len(segments))
		for i, words := range segments {
			text[i] = transcript.Segment{Text: strings.Join(words, " "), Start: float64(i * seconds)}
		}
		got := find(search.Parse(`"`+strings.Join(parts, `" "`)+`"`), text)
		require.Equal(r, look(parts, segments, 1000*seconds), got)
	})
}

// look looks for parts at each word of segments that have a length in milliseconds.
func look(parts []string, segments [][]string, length int) (at []int) {
	latest := map[int][2]int{} // of each part: its word, and the start of the segment
	n := 0
	all := slices.Concat(segments...)
	for i, words := range segments {
		for range words {
			rest := strings.Join(all[n:], " ") + " "
			for p, part := range parts {
				if !strings.HasPrefix(rest, part+" ") {
					continue
				}
				latest[p] = [2]int{n, i * length}
				if len(latest) < len(parts) {
					continue
				}
				first := latest[p]
				for _, other := range latest {
					if other[0] < first[0] {
						first = other
					}
				}
				if i*length-first[1] > 30_000 {
					continue
				}
				if !slices.Contains(at, first[1]) {
					at = append(at, first[1])
				}
				clear(latest)
			}
			n++
		}
	}
	return at
}

// TestPartsOfOneWord: "a b" ends the first hit at the third word, and a begins the second hit
// there.
func TestPartsOfOneWord(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int{0, 8000}, find(search.Parse(`"a b" a c`), said("a", "c", "a", "b", "c", "a", "b")))
}
