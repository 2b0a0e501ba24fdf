package search

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Block is a part of the index of one text. It has some words of the text in byte order, each
// with its places. Blocks are small, so that a search reads only a small part of a text's
// index.
type Block struct {
	First string // a lower bound of the words in the block; "" in a text's first block
	Words []byte
}

// maxBlock bounds the size of a block in bytes. Only a single word that needs more exceeds it.
// Four blocks with their keys fit into a page of SQLite.
const maxBlock = 800

// Place is a place in a text where a word is said.
type Place struct {
	At  int // milliseconds from the start of the media to the start of the segment
	Pos int // number of the word in the text
}

// Blocks returns the index of a text. It has at least one block.
func Blocks(segments []transcript.Segment) []Block {
	places := placesOf(segments)
	blocks := []Block{{}}
	for _, word := range slices.Sorted(maps.Keys(places)) {
		last := &blocks[len(blocks)-1]
		of := places[word].encoded
		if len(last.Words) > 0 && len(last.Words)+len(word)+len(of) > maxBlock {
			blocks = append(blocks, Block{First: word})
			last = &blocks[len(blocks)-1]
		}
		last.Words = appendBytes(last.Words, []byte(word))
		last.Words = appendBytes(last.Words, of)
	}
	return blocks
}

func placesOf(segments []transcript.Segment) map[string]*encoder {
	places := map[string]*encoder{}
	var at, pos int
	s := splitter{emit: func(word []byte, _, _ int) {
		e := places[string(word)]
		if e == nil {
			e = new(encoder)
			places[string(word)] = e
		}
		e.add(Place{at, pos})
		pos++
	}}
	for _, segment := range inOrder(segments) {
		at = startOf(segment)
		s.add(Fold(segment.Text), 0, 0)
		s.flush()
	}
	return places
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

// encoder writes places in ascending order. It writes only the difference from the previous
// place.
type encoder struct {
	encoded []byte
	last    Place
}

func (e *encoder) add(p Place) {
	e.encoded = binary.AppendUvarint(e.encoded, uint64(p.At-e.last.At))
	e.encoded = binary.AppendUvarint(e.encoded, uint64(p.Pos-e.last.Pos))
	e.last = p
}

func appendPlaces(places []Place, encoded []byte) []Place {
	var p Place
	for len(encoded) > 0 {
		at, n := binary.Uvarint(encoded)
		pos, m := binary.Uvarint(encoded[max(n, 0):])
		if n <= 0 || m <= 0 {
			return places // damaged: the places read so far are right
		}
		p.At += int(at)
		p.Pos += int(pos)
		places = append(places, p)
		encoded = encoded[n+m:]
	}
	return places
}

// First and Last bound the blocks that may hold the term. The range begins at the last block
// whose First is not after First(), and ends at the last block whose First is not after Last().
func (t Term) First() string { return t.Word }

// Last is the upper bound: see First.
func (t Term) Last() string {
	if t.Prefix {
		return t.Word + "\U0010FFFF" // the highest code point
	}
	return t.Word
}

// AppendPlaces appends the places of the term in a block. words is the block's Words. Places
// from several blocks are not in order.
func (t Term) AppendPlaces(places []Place, words []byte) []Place {
	for len(words) > 0 {
		var word, of []byte
		word, words = cutBytes(words)
		of, words = cutBytes(words)
		switch {
		case t.matches(string(word)):
			places = appendPlaces(places, of)
		case string(word) > t.Word: // no later word matches
			return places
		}
	}
	return places
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
