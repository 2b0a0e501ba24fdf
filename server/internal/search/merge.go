package search

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// Merger makes one index of several. The zero value is ready.
type Merger struct {
	words map[string][]Posting
	texts int
}

// Add adds the texts of an index whose numbers are in keep, which is in order. The texts get
// the next numbers. Add keeps the bytes of the blocks.
func (m *Merger) Add(blocks []Block, keep []int) {
	if m.words == nil {
		m.words = map[string][]Posting{}
	}
	numbers := map[int]int{}
	for _, text := range keep {
		numbers[text] = m.texts
		m.texts++
	}
	var postings []Posting
	for _, b := range blocks {
		for r := (blockReader{words: b.Words, places: b.Places}); r.next(); {
			postings = r.append(postings[:0])
			starts := strings.HasPrefix(string(r.word), mark)
			for _, p := range postings {
				number, kept := numbers[p.Text]
				if !kept {
					continue
				}
				word := wordOf(string(r.word))
				if starts {
					word = startsWord(number)
				}
				p.Text = number
				m.words[word] = append(m.words[word], p)
			}
		}
	}
}

// Blocks returns the merged index. There is at least one block.
func (m *Merger) Blocks() []Block {
	b := blockWriter{max: maxBlock}
	b.last()
	for _, word := range slices.Sorted(maps.Keys(m.words)) {
		b.add(word, m.words[word])
	}
	return b.blocks
}

// Without returns a block without the postings of a text. changed is false if the block has
// none.
func (b Block) Without(text int) (without Block, changed bool) {
	w := blockWriter{max: math.MaxInt, blocks: []Block{{
		Words: make([]byte, 0, len(b.Words)+maxWord), Places: make([]byte, 0, len(b.Places)),
	}}}
	var postings []Posting
	for r := (blockReader{words: b.Words, places: b.Places}); r.next(); {
		postings = r.append(postings[:0])
		left := slices.DeleteFunc(postings, func(p Posting) bool { return p.Text == text })
		if changed = changed || len(left) < len(postings); len(left) > 0 {
			w.addEntry(string(r.word), left)
		}
	}
	return Block{First: b.First, Words: w.last().Words, Places: w.last().Places}, changed
}

// WordsOf returns the words of an index, and the entries for the starts of segments.
func WordsOf(blocks []Block) (words []string) {
	for _, b := range blocks {
		for r := (blockReader{words: b.Words}); r.next(); {
			words = append(words, wordOf(string(r.word)))
		}
	}
	return words
}
