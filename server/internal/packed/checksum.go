package packed

// The checksum of gzip is the remainder of a division of polynomials over GF(2). The top bit of
// the checksum is the coefficient of x to the power 0. So the checksum of A followed by B is
// the checksum of A, times x to the number of bits of B, plus the checksum of B.

// polynomial is the divisor without its highest power.
const polynomial = 0xedb88320

// times multiplies two remainders.
func times(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 == 1 {
			product ^= b
		}
		b = b>>1 ^ polynomial*(b&1) // times x
	}
	return product
}

// shift returns x to the power of 8*bytes. A checksum times shift(n) is the checksum's share
// after n further bytes.
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
