package packed

import "encoding/binary"

// join puts parts into one gzip member. A packed part keeps its compressed blocks. Any other
// part becomes stored blocks.
func join(parts []*Bytes) []byte {
	to := append(make([]byte, 0, room(parts)), 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255) // RFC 1952, 2.3: no name, no time, any system
	var crc, length uint32
	for _, part := range parts {
		crc, length = part.crc(crc), length+uint32(part.length)
		if part.gzip == nil {
			to = appendStored(to, part.plain)
		} else {
			to = append(to, part.blocks()...)
		}
	}
	to = append(to, 3, 0) // the empty last block
	to = binary.LittleEndian.AppendUint32(to, crc)
	return binary.LittleEndian.AppendUint32(to, length)
}

// room returns an upper bound of the length of join(parts), in bytes.
func room(parts []*Bytes) int {
	n := headerSize + endSize
	for _, part := range parts {
		if part.gzip == nil {
			n += part.length + blockHeader*(part.length/maxBlock+1)
		} else {
			n += len(part.gzip)
		}
	}
	return n
}

// The header's length and the longest content of a stored block, in bytes (RFC 1951, 3.2.4).
const (
	blockHeader = 5
	maxBlock    = 1<<16 - 1
)

// appendStored appends b as stored blocks.
func appendStored(to, b []byte) []byte {
	for len(b) > 0 {
		n := min(len(b), maxBlock)
		to = append(to, 0, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
		to = append(to, b[:n]...)
		b = b[n:]
	}
	return to
}
