// Package letters decodes the characters of texts in files of captions.
package letters

import (
	"bytes"
	"unicode/utf8"
)

// ToText makes UTF-8 of b as the Encoding standard decodes it: one U+FFFD for
// each longest beginning of a character that does not go on. NUL becomes U+FFFD
// too. It returns b where nothing is to do.
func ToText(b []byte) []byte {
	if utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 {
		return b
	}
	out := make([]byte, 0, len(b)+16)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			size = broken(b)
		}
		if r == 0 {
			r = utf8.RuneError
		}
		out = utf8.AppendRune(out, r)
		b = b[size:]
	}
	return out
}

// broken returns how many bytes of b, which begins with no character, one U+FFFD
// stands for.
func broken(b []byte) int {
	low, high, more := byte(0x80), byte(0xBF), 0
	switch c := b[0]; {
	case 0xC2 <= c && c <= 0xDF:
		more = 1
	case 0xE0 <= c && c <= 0xEF:
		more = 2
	case 0xF0 <= c && c <= 0xF4:
		more = 3
	}
	switch b[0] {
	case 0xE0:
		low = 0xA0 // below are longer spellings of shorter characters
	case 0xED:
		high = 0x9F // above are surrogates
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F // above is no Unicode
	}
	n := 1
	for ; n <= more && n < len(b) && low <= b[n] && b[n] <= high; n++ {
		low, high = 0x80, 0xBF
	}
	return n
}
