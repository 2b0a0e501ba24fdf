package packed

// The checksum of gzip is the rest of a division of polynomials over two values, whose
// coefficients it holds from the top bit (of 1) down. So the checksum of A and B, one
// behind the other, is that of A times x to the number of bits of B, plus that of B.

// polynomial is the divisor, without its highest power.
const polynomial = 0xedb88320

// times multiplies two rests.
func times(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 == 1 {
			product ^= b
		}
		b = b>>1 ^ polynomial*(b&1) // times x
	}
	return product
}

// shift is x to the number of bits of so many bytes: a checksum times it moves over them.
func shift(bytes int) uint32 {
	const one, x8 = 1 << 31, 1 << 23
	result, power := uint32(one), uint32(x8)
	for n := bytes; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = times(result, power)
		}
		power = times(power, power)
	}
	return result
}
