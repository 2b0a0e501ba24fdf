package search

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Block is a part of the index of some texts. It has some of their words in byte order, each
// with the texts that have the word. Blocks are small, so that a search reads only a small part
// of an index.
type Block struct {
	First  string // a lower bound of the words in the block; "" in the first block
	Words  []byte // each word with its postings, without the places
	Places []byte // the places of all postings, one after another; nil if they are not read
}

// bounds are the bounds of a block in bytes. Only a word that one text says very often exceeds
// them.
type bounds struct{ words, places, both int }

// Four blocks of a single text with their keys fit into a page of SQLite. A block of many texts
// has few words, which a database reads in one piece, and many places, which a database keeps
// apart: a search reads the places of a block only if the block has a text with all words of the
// query.
var (
	boundsOfText   = bounds{words: 900, places: 900, both: 900}
	boundsOfVolume = bounds{words: 1900, places: 32 << 10, both: 34 << 10}
)

func (b bounds) fit(words, places int) bool {
	return words <= b.words && places <= b.places && words+places <= b.both
}

// Blocks returns the index of a single text. The number of the text is 0. There is at least one
// block.
func Blocks(segments []transcript.Segment) []Block {
	words := map[string]*placeWriter{}
	var starts startWriter
	var at Place
	s := splitter{emit: func(word []byte, _, _ int) {
		w := words[string(word)]
		if w == nil {
			w = new(placeWriter)
			words[string(word)] = w
		}
		w.add(at)
		starts.add(at)
		at.Pos++
	}}
	for _, segment := range inOrder(segments) {
		at.At = startOf(segment)
		s.add(Fold(segment.Text), 0, 0)
		s.flush()
	}
	b := blockWriter{bounds: boundsOfText}
	b.add(startsWord(0), []Posting{posting(starts.count, starts.encoded)})
	for _, word := range slices.Sorted(maps.Keys(words)) {
		b.add(word, []Posting{posting(words[word].count, words[word].encoded)})
	}
	return b.blocks
}

// inOrder returns the segments in order of their start. All published segments have this order.
func inOrder(segments []transcript.Segment) []transcript.Segment {
	byStart := func(a, b transcript.Segment) int { return cmp.Compare(startOf(a), startOf(b)) }
	if !slices.IsSortedFunc(segments, byStart) {
		segments = slices.Clone(segments)
		slices.SortStableFunc(segments, byStart)
	}
	return segments
}

// startOf returns the Place.At for the words of a segment.
func startOf(s transcript.Segment) int { return int(wire.Milliseconds(s.Start)) }

// mark never occurs in a word. It begins the entry that has the starts of a text's segments.
// Behind a word it begins the number of the first text in a further entry of the word: the
// postings of a frequent word need several blocks.
const mark = "\x01"

func startsWord(text int) string { return entryOf("", text) }

// entryOf is the name of the entry of a word whose first text is text.
func entryOf(word string, text int) string { return fmt.Sprintf("%s"+mark+"%05x", word, text) }

// wordOf returns the word of an entry.
func wordOf(entry string) string {
	if i := strings.Index(entry, mark); i > 0 {
		return entry[:i]
	}
	return entry
}

// StartsFrom returns the term for the starts of the texts from first to last. Their postings
// are in the order of the texts.
func StartsFrom(first, last int) Term { return Term{Word: startsWord(first), last: startsWord(last)} }

// blockWriter writes the words of an index, which arrive in order, into blocks.
type blockWriter struct {
	blocks []Block
	bounds bounds
	before string // the entry before, in the same block
	entry  []byte // scratch
}

// add writes the postings of a word into one entry, or into several if they exceed a block.
func (b *blockWriter) add(word string, postings []Posting) {
	for entry := word; len(postings) > 0; {
		n, places := 1, postings[0].size
		for n < len(postings) && b.bounds.fit(len(entry)+roomOfPosting*(n+1), places+postings[n].size) {
			places += postings[n].size
			n++
		}
		b.addEntry(entry, postings[:n])
		if postings = postings[n:]; len(postings) > 0 {
			entry = entryOf(word, postings[0].Text)
		}
	}
}

// roomOfPosting limits the bytes of a posting without its places.
const roomOfPosting = 8

func (b *blockWriter) addEntry(entry string, postings []Posting) {
	encoded, places, text := b.entry[:0], 0, 0
	for _, p := range postings {
		encoded = binary.AppendUvarint(encoded, uint64(p.Text-text))
		encoded = binary.AppendUvarint(encoded, uint64(p.Hits))
		encoded = binary.AppendUvarint(encoded, uint64(p.size))
		places += p.size
		text = p.Text
	}
	last := b.last()
	if len(last.Words) > 0 && !b.bounds.fit(len(last.Words)+len(entry)+len(encoded), len(last.Places)+places) {
		b.blocks = append(b.blocks, Block{First: entry})
		b.before, last = "", b.last()
	}
	shared := sharedPrefix(b.before, entry)
	last.Words = binary.AppendUvarint(last.Words, uint64(shared))
	last.Words = appendBytes(last.Words, []byte(entry[shared:]))
	last.Words = binary.AppendUvarint(last.Words, uint64(places))
	last.Words = appendBytes(last.Words, encoded)
	for _, p := range postings {
		last.Places = append(last.Places, p.places()...)
	}
	b.before, b.entry = entry, encoded
}

func (b *blockWriter) last() *Block {
	if len(b.blocks) == 0 {
		b.blocks = []Block{{}}
	}
	return &b.blocks[len(b.blocks)-1]
}

func sharedPrefix(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// blockReader reads the entries of a block.
type blockReader struct {
	block *Block
	rest  []byte // the remaining words

	word     []byte // of the entry; valid until next
	postings []byte
	from, to int // the places of the entry in the block
}

func read(b *Block) *blockReader { return &blockReader{block: b, rest: b.Words} }

// next goes to the next entry. It returns false after the last entry.
func (r *blockReader) next() bool {
	shared, n := binary.Uvarint(r.rest)
	if n <= 0 || shared > uint64(len(r.word)) {
		return false
	}
	var suffix []byte
	suffix, r.rest = cutBytes(r.rest[n:])
	r.word = append(r.word[:shared], suffix...)
	size, n := binary.Uvarint(r.rest)
	if n <= 0 {
		return false // damaged: the entries that were read are right
	}
	r.postings, r.rest = cutBytes(r.rest[n:])
	r.from, r.to = r.to, r.to+int(min(size, maxPlaces))
	return true
}

// maxPlaces limits the places of an entry. A damaged block may name any number.
const maxPlaces = 1 << 30

// append appends the postings of the entry.
func (r *blockReader) append(postings []Posting) []Posting {
	text, from := 0, r.from
	for rest := r.postings; len(rest) > 0; {
		step, n := binary.Uvarint(rest)
		hits, m := binary.Uvarint(rest[max(n, 0):])
		size, k := binary.Uvarint(rest[max(n+m, 0):])
		if n <= 0 || m <= 0 || k <= 0 || size > maxPlaces {
			return postings // damaged: the postings that were read are right
		}
		rest = rest[n+m+k:]
		text += int(step)
		postings = append(postings, Posting{Text: text, Hits: int(hits), Block: r.block, from: from, size: int(size)})
		from += int(size)
	}
	return postings
}

// First and Last bound the blocks that may hold the term. The range begins at the last block
// whose First is not after First(), and ends at the last block whose First is not after Last().
func (t Term) First() string { return t.Word }

// Last is the upper bound: see First.
func (t Term) Last() string {
	switch {
	case t.Prefix:
		return t.Word + "\U0010FFFF" // the highest code point
	case t.last != "":
		return t.last
	}
	return t.Word + mark + "g" // after all entries of the word
}

// AppendPostings appends the postings of the term in a block. Postings of several words are not
// in the order of the texts.
func (t Term) AppendPostings(postings []Posting, b *Block) []Posting {
	for r := read(b); r.next(); {
		switch word := wordOf(string(r.word)); {
		case t.matches(word):
			postings = r.append(postings)
		case word > t.Word: // no later word matches
			return postings
		}
	}
	return postings
}

// matches reports whether the term stands for the word.
func (t Term) matches(word string) bool {
	return word == t.Word || t.Prefix && strings.HasPrefix(word, t.Word) || t.last != "" && t.Word <= word && word <= t.last
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// cutBytes undoes appendBytes. It returns nil, nil if src is damaged.
func cutBytes(src []byte) (b, rest []byte) {
	n, size := binary.Uvarint(src)
	if size <= 0 || n > uint64(len(src)-size) {
		return nil, nil
	}
	src = src[size:]
	return src[:n], src[n:]
}
