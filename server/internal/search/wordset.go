package search

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// wordSet is a set of words of a text, by their numbers: a bit for each.
type wordSet []uint64

// maxNumber bounds the number of a word. Damaged places may name any number.
const maxNumber = 1 << 27

// add adds encoded places: see placeWriter. It also adds to firsts the places that do not have the
// At of the place before.
func (w wordSet) add(encoded []byte, firsts wordSet) (_, _ wordSet) {
	n := 0
	for i := 0; i < len(encoded); {
		step := uint64(encoded[i])
		i++
		if step >= 0x80 {
			var size int
			if step, size = binary.Uvarint(encoded[i-1:]); size <= 0 {
				break // damaged: the places read so far are right
			}
			i += size - 1
		}
		if step>>1 > maxNumber || n+int(step>>1) > maxNumber {
			break // damaged
		}
		n += int(step >> 1)
		at := n >> 6
		if at >= len(w) || at >= len(firsts) {
			w, firsts = w.room(at), firsts.room(at)
		}
		w[at] |= 1 << (n & 63)
		firsts[at] |= (^step & 1) << (n & 63)
	}
	return w, firsts
}

// room makes room for the words of an element.
func (w wordSet) room(at int) wordSet {
	if at < len(w) {
		return w
	}
	grown := slices.Grow(w, at+1-len(w))[:at+1]
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
