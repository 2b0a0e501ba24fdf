package search_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
)

// merged returns the merged index of the texts of indexes, with the texts in keep of each. Both
// reading and writing go piece by piece.
func merged(t require.TestingT, piece int, indexes [][]search.Block, keep [][]int) (all []search.Block) {
	var merger search.Merger
	for i, blocks := range indexes {
		merger.Add(keep[i], func() (some []search.Block, err error) {
			some = blocks[:min(len(blocks), piece)]
			blocks = blocks[len(some):]
			return some, nil
		})
	}
	for {
		some, err := merger.Next(1000 * piece)
		require.NoError(t, err)
		if len(some) == 0 {
			return all
		}
		all = append(all, some...)
	}
}

// firsts keeps the only text of each of n indexes.
func firsts(n int) [][]int { return slices.Repeat([][]int{{0}}, n) }

// wordsOf returns the bytes of all words of an index.
func wordsOf(blocks []search.Block) string {
	var all strings.Builder
	for _, b := range blocks {
		all.Write(b.Words)
	}
	return all.String()
}

// TestMergedIndexesFindTheSame merges the indexes of texts, and merges the result again without
// some of the texts and with a further index. Each index finds in its texts what the own index of
// each text finds.
func TestMergedIndexesFindTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "ab", "b", "bc", "北", strings.Repeat("long", 40)})
		texts := rapid.SliceOfN(rapid.SliceOfN(rapid.SliceOfN(word, 0, 4), 0, 20), 1, 12).Draw(r, "texts")
		queries := []string{"a", "a*", "ab b", `"a b"`, `"a a"`, `"b a"* 北`, "long*", strings.Repeat("long", 40), "a b* 北"}
		piece := rapid.IntRange(1, 5).Draw(r, "piece")
		var single [][]search.Block
		for _, text := range texts {
			segments := make([]string, len(text))
			for i, words := range text {
				segments[i] = strings.Join(words, " ")
			}
			single = append(single, search.Blocks(said(segments...)))
		}
		all := merged(r, piece, single, firsts(len(single)))
		var kept []int
		for i := range texts {
			if rapid.Bool().Draw(r, "keep") {
				kept = append(kept, i)
			}
		}
		second := merged(r, piece, [][]search.Block{single[0], all}, [][]int{{0}, kept})
		for _, q := range queries {
			query := search.Parse(q)
			once, again := findIn(query, all), findIn(query, second)
			for i, blocks := range single {
				require.Equal(r, findIn(query, blocks)[0], once[i], q)
			}
			require.Equal(r, once[0], again[0], q)
			for number, i := range kept {
				require.Equal(r, once[i], again[1+number], q)
			}
			for text := range again {
				require.LessOrEqual(r, text, len(kept), q)
			}
		}
	})
}

// TestMergerLeavesNoWord merges an index without the only text that has a word: no byte of the
// word stays.
func TestMergerLeavesNoWord(t *testing.T) {
	t.Parallel()
	both := merged(t, 1, [][]search.Block{search.Blocks(said("all share this")), search.Blocks(said("all share zebra"))}, firsts(2))
	assert.Contains(t, wordsOf(both), "zebra")
	without := merged(t, 1, [][]search.Block{both}, [][]int{{0}})
	assert.NotContains(t, wordsOf(without), "zebra")
	assert.Len(t, findIn(search.Parse("share"), without), 1)
	none := merged(t, 1, [][]search.Block{both}, [][]int{nil})
	assert.Len(t, none, 1, "an index without texts has a block")
	assert.Empty(t, none[0].Words)
}

// TestMergerReturnsErrors merges an index whose second piece cannot be read.
func TestMergerReturnsErrors(t *testing.T) {
	t.Parallel()
	var merger search.Merger
	broken := errors.New("broken")
	pieces := [][]search.Block{search.Blocks(said("one two"))}
	merger.Add([]int{0}, func() (some []search.Block, err error) {
		if len(pieces) == 0 {
			return nil, broken
		}
		some, pieces = pieces[0], pieces[1:]
		return some, nil
	})
	_, err := merger.Next(1000)
	assert.ErrorIs(t, err, broken)
}

// TestFrequentWordsHaveSeveralBlocks finds a word of very many texts. The words of each block stay
// short, so that a search reads little to know which texts have a word and how often.
func TestFrequentWordsHaveSeveralBlocks(t *testing.T) {
	t.Parallel()
	const texts = 800
	indexes := slices.Repeat([][]search.Block{search.Blocks(said("often", "often be often", "often"))}, texts)
	blocks := merged(t, 3, indexes, firsts(texts))
	have := 0
	for _, b := range blocks {
		assert.LessOrEqual(t, len(b.Words), 2000)
		assert.LessOrEqual(t, len(b.Places), 32<<10)
		if len(search.Parse("often").Terms()[0].AppendPostings(nil, &b)) > 0 {
			have++
		}
	}
	assert.Greater(t, have, 1)
	for _, q := range []string{"often", `"be often"`, "of*", "often be"} {
		assert.Len(t, findIn(search.Parse(q), blocks), texts, q)
	}
}

// TestBoundIsNear: a bound of the hits that is far too high would make a search read the places
// of every text.
func TestBoundIsNear(t *testing.T) {
	t.Parallel()
	blocks := search.Blocks(said("a b", "a b", "a", "a", "a c"))
	for q, want := range map[string]int{"a": 5, `"a b"`: 2, "a b": 2, `"a c"`: 1, "a*": 5, "b c a": 1} {
		query := search.Parse(q)
		var lists [][]search.Posting
		for _, term := range query.Terms() {
			lists = append(lists, postings(term, blocks))
		}
		for m := range query.Matches(lists) {
			assert.Equal(t, want, query.Bound(m), q)
		}
	}
}
