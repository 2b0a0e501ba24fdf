package search

import (
	"encoding/binary"
	"hash/fnv"
	"strings"
)

// Sum is a sum over an index's data about one text: all its words with their places. The index of
// a single text and an index of many texts give the same Sum of a text, so their agreement can be
// checked. The zero value is the Sum of a text without an index.
type Sum uint64

// AddSums adds the block of an index to the sums of its texts. Postings of texts behind the last
// sum are left out.
func AddSums(sums []Sum, b *Block) {
	var postings []Posting
	for r := read(b); r.next(); {
		word := wordOf(string(r.word))
		if strings.HasPrefix(word, mark) {
			word = mark // the starts of segments: the rest is the number of a text
		}
		postings = r.append(postings[:0])
		for _, p := range postings {
			if p.Text < len(sums) {
				sums[p.Text] += p.sum(word)
			}
		}
	}
}

// sum is a hash of a word and its places in a text. Blocks split postings in different ways, so
// the hashes of all postings are added.
func (p Posting) sum(word string) Sum {
	h := fnv.New64a()
	_, _ = h.Write([]byte(word)) // a hash never fails
	_, _ = h.Write(binary.AppendUvarint([]byte{0}, uint64(p.Hits)))
	_, _ = h.Write(p.places())
	return Sum(h.Sum64())
}
