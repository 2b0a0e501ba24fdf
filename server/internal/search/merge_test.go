package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
)

// TestMergedIndexesFindTheSame merges the indexes of texts, merges the result again without some
// of the texts, and takes a text out. Each index finds in its texts what the own index of each
// text finds.
func TestMergedIndexesFindTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "ab", "b", "bc", "北", strings.Repeat("long", 40)})
		texts := rapid.SliceOfN(rapid.SliceOfN(rapid.SliceOfN(word, 0, 4), 0, 20), 1, 12).Draw(r, "texts")
		queries := []string{"a", "a*", "ab b", `"a b"`, `"a a"`, `"b a"* 北`, "long*", strings.Repeat("long", 40)}
		var single [][]search.Block
		var merger search.Merger
		for _, text := range texts {
			segments := make([]string, len(text))
			for i, words := range text {
				segments[i] = strings.Join(words, " ")
			}
			single = append(single, search.Blocks(said(segments...)))
			merger.Add(single[len(single)-1], []int{0})
		}
		merged := merger.Blocks()
		var kept []int
		for i := range texts {
			if rapid.Bool().Draw(r, "keep") {
				kept = append(kept, i)
			}
		}
		var second search.Merger
		second.Add(merged, kept)
		fewer := second.Blocks()
		out := rapid.IntRange(0, len(texts)-1).Draw(r, "out")
		without := make([]search.Block, len(merged))
		for i, b := range merged {
			var changed bool
			without[i], changed = b.Without(out)
			if !changed {
				require.Equal(r, search.WordsOf([]search.Block{b}), search.WordsOf(without[i:i+1]))
			}
		}
		for _, q := range queries {
			query := search.Parse(q)
			all, few, less := findIn(query, merged), findIn(query, fewer), findIn(query, without)
			for i, blocks := range single {
				want := findIn(query, blocks)[0]
				require.Equal(r, want, all[i], q)
				if i == out {
					require.Empty(r, less[i], q)
				} else {
					require.Equal(r, want, less[i], q)
				}
			}
			for number, i := range kept {
				require.Equal(r, all[i], few[number], q)
			}
		}
	})
}

// TestWithoutLeavesNoWord takes the only text with a word out of an index: no byte of the word
// stays.
func TestWithoutLeavesNoWord(t *testing.T) {
	t.Parallel()
	var merger search.Merger
	merger.Add(search.Blocks(said("all share this")), []int{0})
	merger.Add(search.Blocks(said("all share zebra")), []int{0})
	blocks := merger.Blocks()
	assert.Contains(t, search.WordsOf(blocks), "zebra")
	for _, b := range blocks {
		without, _ := b.Without(1)
		assert.NotContains(t, string(without.Words), "zebra")
		assert.Contains(t, search.WordsOf([]search.Block{without}), "share")
	}
}

// TestFrequentWordsHaveSeveralBlocks finds a word of very many texts, and takes texts out of the
// few blocks that have their places.
func TestFrequentWordsHaveSeveralBlocks(t *testing.T) {
	t.Parallel()
	const texts = 800
	var merger search.Merger
	for range texts {
		merger.Add(search.Blocks(said("often", "often be often", "often")), []int{0})
	}
	blocks := merger.Blocks()
	have := 0
	for _, b := range blocks {
		assert.LessOrEqual(t, len(b.Words)+len(b.Places), 1900)
		if slices.Contains(search.WordsOf([]search.Block{b}), "often") {
			have++
		}
	}
	assert.Greater(t, have, 3)
	assert.Len(t, findIn(search.Parse("often"), blocks), texts)
	assert.Len(t, findIn(search.Parse(`"be often"`), blocks), texts)
	for _, text := range []int{0, 1, 500, texts - 1} {
		changed := 0
		entry := search.Entry("often", text)
		last := 0
		for i, b := range blocks {
			if b.First <= entry {
				last = i
			}
		}
		for i := range blocks {
			without, has := blocks[i].Without(text)
			if has {
				changed++
			}
			assert.True(t, has || i != last)
			blocks[i] = without
		}
		assert.LessOrEqual(t, changed, 3, "a block for each of the two words and for the starts")
		assert.NotContains(t, findIn(search.Parse("often"), blocks), text)
	}
	assert.Len(t, findIn(search.Parse("of*"), blocks), texts-4)
}
