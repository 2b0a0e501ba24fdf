package ffmpeg

import (
	"bytes"
	"math/bits"
)

// The elements of Matroska that tell where a file ends.
const (
	idHeader  = 0x1a45dfa3
	idSegment = 0x18538067
	idCluster = 0x1f43b675
)

// inSegment are the elements of a segment, and of a cluster of unknown length.
var inSegment = map[uint64]bool{
	0x114d9b74: true, 0x1549a966: true, 0x1654ae6b: true, idCluster: true, 0x1c53bb6b: true, 0x1941a469: true,
	0x1043a770: true, 0x1254c367: true, 0xec: true, 0xbf: true,
	0xe7: true, 0xa3: true, 0xa0: true, 0xa7: true, 0xab: true, 0xaf: true, 0x5854: true,
}

// isMatroska reports whether head is the header of Matroska or WebM.
func isMatroska(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x1aE\xdf\xa3")) &&
		(bytes.Contains(head, []byte("webm")) || bytes.Contains(head, []byte("matroska")))
}

// endOfMatroska takes the end that the segment declares. A segment of unknown length, as
// browsers write it, ends with an element that belongs to no segment. A segment that ends
// behind the end of the file ends where another header stands.
func endOfMatroska(c *cursor, at int64) int64 {
	_, begin, size, known := c.element(at)
	if !known {
		return c.size
	}
	for at = begin + size; at < c.size; {
		id, begin, size, known := c.element(at)
		switch {
		case id == idHeader:
			return at
		case id == idSegment && known && begin+size > c.size:
			return c.nextFile(begin)
		case id == idSegment && known:
			return begin + size
		case id == idSegment, id == idCluster && !known:
			at = begin
		case !known || begin+size > c.size:
			return c.nextFile(at + 1)
		case !inSegment[id]:
			return c.nextFile(at)
		default:
			at = begin + size
		}
	}
	return c.size
}

// element reads the head of an element: its id, where its content begins, and how long that is,
// if the element tells.
func (c *cursor) element(at int64) (id uint64, begin, size int64, known bool) {
	head := c.get(at, 12)
	id, n := varInt(head, false)
	if n == 0 || n > 4 {
		return 0, at, 0, false
	}
	length, m := varInt(head[n:], true)
	if m == 0 {
		return 0, at, 0, false
	}
	if length == 1<<(7*m)-1 {
		return id, at + int64(n+m), 0, false
	}
	return id, at + int64(n+m), int64(min(length, 1<<62)), true
}

// varInt reads a number of variable length, with or without the bit that tells its length. n is
// how many bytes it has; 0: there is none.
func varInt(b []byte, value bool) (v uint64, n int) {
	if len(b) == 0 || b[0] == 0 {
		return 0, 0
	}
	n = bits.LeadingZeros8(b[0]) + 1
	if len(b) < n {
		return 0, 0
	}
	for _, x := range b[:n] {
		v = v<<8 | uint64(x)
	}
	if value {
		v &^= 1 << (7 * n)
	}
	return v, n
}
