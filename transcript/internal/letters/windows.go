package letters

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// AppendLine appends a line of UTF-8, or of Windows-1252, to out.
func AppendLine(out, line []byte, western bool) []byte {
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		switch {
		case western:
			r, size = charmap.Windows1252.DecodeByte(line[0]), 1
		case r == utf8.RuneError && size == 1:
			size = broken(line)
		}
		if r != 0 {
			out = utf8.AppendRune(out, r)
		}
		line = line[size:]
	}
	return out
}

// IsWindows1252 reports that a line is not UTF-8, and has no more characters of
// several bytes in UTF-8 than it has breaks in such.
func IsWindows1252(line []byte) bool {
	whole, breaks := CountUTF8(line)
	return breaks > 0 && whole <= breaks
}

// CountUTF8 counts the characters of several bytes in UTF-8, and the breaks in such.
func CountUTF8(line []byte) (whole, breaks int) {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			size = broken(line[i:])
			breaks++
		case size > 1:
			whole++
		}
		i += size
	}
	return whole, breaks
}
