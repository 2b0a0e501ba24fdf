package search

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Block is a part of the index of one text: some of its words, in order of their
// bytes, with the places where they are said. Blocks are small, so that the words of a
// query are found without reading the whole index of a text.
type Block struct {
	First string // no word of the block comes before it; "" of a text's first block
	Words []byte
}

// maxBlock is how large a block grows, in bytes, unless a single word needs more. Four
// of them, with their keys, fit into a page of SQLite.
const maxBlock = 800

// Place is where a word is said.
type Place struct {
	At  int // milliseconds from the start of the media to the start of the segment
	Pos int // number of the word in the text
}

// Blocks is the index of a text: one block at least.
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

// inOrder are the segments by their start, as they are in all that is published.
func inOrder(segments []transcript.Segment) []transcript.Segment {
	byStart := func(a, b transcript.Segment) int { return cmp.Compare(startOf(a), startOf(b)) }
	if !slices.IsSortedFunc(segments, byStart) {
		segments = slices.Clone(segments)
		slices.SortStableFunc(segments, byStart)
	}
	return segments
}

// startOf is the Place.At of the words of a segment.
func startOf(s transcript.Segment) int { return int(wire.Milliseconds(s.Start)) }

// encoder writes places, which are in order, as their differences.
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
			return places // damaged: what was read is right
		}
		p.At += int(at)
		p.Pos += int(pos)
		places = append(places, p)
		encoded = encoded[n+m:]
	}
	return places
}

// First and Last bound the First of the blocks that may hold the term: from the last
// block that is not after First, to Last.
func (t Term) First() string { return t.Word }

// Last is explained at First.
func (t Term) Last() string {
	if t.Prefix {
		return t.Word + "\U0010FFFF" // no character comes after it
	}
	return t.Word
}

// AppendPlaces appends the places of the term that a block's Words hold. Of several
// blocks they are not in order.
func (t Term) AppendPlaces(places []Place, words []byte) []Place {
	for len(words) > 0 {
		var word, of []byte
		word, words = cutBytes(words)
		of, words = cutBytes(words)
		switch {
		case t.matches(string(word)):
			places = appendPlaces(places, of)
		case string(word) > t.Word: // none that follows matches
			return places
		}
	}
	return places
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// cutBytes undoes appendBytes. Of what is damaged nothing is left.
func cutBytes(src []byte) (b, rest []byte) {
	n, size := binary.Uvarint(src)
	if size <= 0 || n > uint64(len(src)-size) {
		return nil, nil
	}
	src = src[size:]
	return src[:n], src[n:]
}
