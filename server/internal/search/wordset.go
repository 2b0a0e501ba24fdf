package search

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// wordSet is a set of words of a text, by their numbers: a bit for each.
type wordSet []uint64

// maxNumber limits the number of a word. Damaged places may name any number.
const maxNumber = 1 << 27

// add adds encoded places: see placeWriter.
func (w wordSet) add(encoded []byte) wordSet { return w.mark(encoded, 1) }

// addFirsts adds those of encoded places that do not have the At of the previous place.
func (w wordSet) addFirsts(encoded []byte) wordSet { return w.mark(encoded, 0) }

// mark adds the encoded places that begin an At, and with others = 1 the other places too.
func (w wordSet) mark(encoded []byte, others uint64) wordSet {
	n := 0
	for i := 0; i < len(encoded); {
		var step uint64
		if step, i = number(encoded, i); step>>1 > uint64(maxNumber-n) {
			break // damaged: the places that were read are right
		}
		n += int(step >> 1)
		if n>>6 >= len(w) {
			w = w.room(n >> 6)
		}
		w[n>>6] |= (^step&1 | others) << (n & 63)
	}
	return w
}

// number decodes a number at i, and returns where the next one begins. A damaged number is very
// large.
func number(encoded []byte, i int) (n uint64, next int) {
	if i < len(encoded) && encoded[i] < 0x80 {
		return uint64(encoded[i]), i + 1
	}
	return longNumber(encoded, i)
}

func longNumber(encoded []byte, i int) (n uint64, next int) {
	n, size := binary.Uvarint(encoded[min(i, len(encoded)):])
	if size <= 0 {
		return math.MaxUint64, len(encoded)
	}
	return n, i + size
}

// room makes room for an element, and for some more.
func (w wordSet) room(at int) wordSet {
	to := at + 1 + len(w)/2
	grown := slices.Grow(w, to-len(w))[:to]
	clear(grown[len(w):])
	return grown
}

// followedBy keeps the words that a word of next follows at a distance.
func (w wordSet) followedBy(next wordSet, distance int) {
	elements, shift := distance>>6, distance&63
	for i := range w {
		var follow uint64
		if at := i + elements; at < len(next) {
			follow = next[at] >> shift
		}
		if at := i + elements + 1; at < len(next) {
			follow |= next[at] << (64 - shift) // none if shift is 0
		}
		w[i] &= follow
	}
}

// next returns the first word from a number on, or -1.
func (w wordSet) next(from int) int {
	at := from >> 6
	if at >= len(w) {
		return -1
	}
	for left := w[at] >> (from & 63) << (from & 63); ; left = w[at] {
		if left != 0 {
			return at<<6 + bits.TrailingZeros64(left)
		}
		if at++; at >= len(w) {
			return -1
		}
	}
}

// last returns the last word up to a number, or -1.
func (w wordSet) last(to int) int {
	at := to >> 6
	if at >= len(w) {
		at, to = len(w)-1, 63
	}
	if at < 0 {
		return -1
	}
	for left := w[at] << (63 - to&63) >> (63 - to&63); ; left = w[at] {
		if left != 0 {
			return at<<6 + 63 - bits.LeadingZeros64(left)
		}
		if at--; at < 0 {
			return -1
		}
	}
}
