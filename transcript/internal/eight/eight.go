// Package eight looks at eight bytes of a text at once (SWAR, SIMD within a register).
// It is for the few loops that nearly every byte of a caption file goes through.
//
//	v := eight.Load(b)
//	n := (v.Below(' ') | v.Equal('<')).First() // where the first control character or tag is; 8: nowhere
package eight

import "math/bits"

// Bytes are eight bytes; the first is the lowest.
type Bytes uint64

// Set is a set of some of eight bytes: the high bit of a byte says that the byte is in
// the set. | joins sets, and & intersects them.
type Set uint64

const (
	every = 0x0101010101010101 // multiplied by a byte: eight times that byte
	high  = 0x80 * every
)

// Load returns the first eight bytes of s, which must have at least eight.
func Load[T string | []byte](s T) Bytes {
	_ = s[7]
	return Bytes(s[0]) | Bytes(s[1])<<8 | Bytes(s[2])<<16 | Bytes(s[3])<<24 |
		Bytes(s[4])<<32 | Bytes(s[5])<<40 | Bytes(s[6])<<48 | Bytes(s[7])<<56
}

// Below returns the bytes that are less than c, which is ASCII.
func (b Bytes) Below(c byte) Set {
	return Set(^(b&^high + every*(0x80-Bytes(c)) | b)) & high // no sum carries into another byte
}

// Equal returns the bytes that equal c, which is ASCII.
func (b Bytes) Equal(c byte) Set {
	return Set(^((b^every*Bytes(c))&^high + every*0x7F | b)) & high
}

// Wide returns the bytes that are not ASCII.
func (b Bytes) Wide() Set { return Set(b) & high }

// First returns the place of the first byte in the set, or 8 if the set is empty.
func (s Set) First() int { return bits.TrailingZeros64(uint64(s)) / 8 }

// Before returns the bytes directly before a byte of the set.
func (s Set) Before() Set { return s >> 8 }

// All reports whether the set contains all eight bytes.
func (s Set) All() bool { return s == high }

// Clock reads a time of twelve bytes, HH:MM:SS, any mark, and milliseconds, and returns
// it in milliseconds; minutes and seconds may be up to 99. ok is false if a digit or a
// colon is missing.
func Clock(b []byte) (ms int64, ok bool) {
	const (
		zeros  = 0x30303A30303A3030 // subtracting "00:00:00" leaves the values of the digits
		colons = 0x0000FF0000FF0000
	)
	_ = b[11]
	clock := uint64(Load(b)) ^ zeros
	milli := (uint64(b[9]) | uint64(b[10])<<8 | uint64(b[11])<<16) ^ zeros&0xFF*0x10101
	above9 := (clock | (clock + every*(0x7F-9)) | milli | (milli + every*(0x7F-9))) & high
	if above9 != 0 || clock&colons != 0 {
		return 0, false
	}
	pairs := clock*10 + clock>>8 // each byte and the next byte as a number
	hour, minute, sec := pairs&0xFF, pairs>>24&0xFF, pairs>>48&0xFF
	return int64(((hour*60+minute)*60+sec)*1000 + milli&0xFF*100 + milli>>8&0xFF*10 + milli>>16), true
}
