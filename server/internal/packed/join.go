package packed

import "encoding/binary"

// Join puts parts into one gzip member, in pieces to be written one after the other:
// those that are packed as they are, the others unpacked between them.
func Join(parts ...*Bytes) [][]byte {
	piece := append(make([]byte, 0, room(parts)), 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255) // RFC 1952, 2.3: no name, no time, any system
	var pieces [][]byte
	var crc, length uint32
	for _, part := range parts {
		crc, length = part.crc(crc), length+uint32(part.length)
		if part.gzip == nil {
			piece = appendStored(piece, part.plain)
			continue
		}
		pieces = append(pieces, piece, part.blocks())
		piece = piece[len(piece):]
	}
	piece = append(piece, 3, 0) // the empty last block
	piece = binary.LittleEndian.AppendUint32(piece, crc)
	return append(pieces, binary.LittleEndian.AppendUint32(piece, length))
}

// room is enough for what Join writes by itself.
func room(parts []*Bytes) int {
	n := headerSize + endSize
	for _, part := range parts {
		if part.gzip == nil {
			n += part.length + blockHeader*(part.length/maxBlock+1)
		}
	}
	return n
}

// A block that is not packed (RFC 1951, 3.2.4).
const (
	blockHeader = 5
	maxBlock    = 1<<16 - 1
)

// appendStored appends blocks that hold b as it is.
func appendStored(to, b []byte) []byte {
	for len(b) > 0 {
		n := min(len(b), maxBlock)
		to = append(to, 0, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
		to = append(to, b[:n]...)
		b = b[n:]
	}
	return to
}
