package caption

import (
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// utf16Order tells in which order the bytes of UTF-16 come in a file that begins
// so, if it is that. Without a byte order mark the first two characters tell: in
// ASCII every other byte is zero.
func utf16Order(head []byte) (order unicode.Endianness, ok bool) {
	switch {
	case bytes.HasPrefix(head, []byte("\xFE\xFF")):
		return unicode.BigEndian, true
	case bytes.HasPrefix(head, []byte("\xFF\xFE")):
		return unicode.LittleEndian, true
	case len(head) < 4:
		return unicode.BigEndian, false
	case head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return unicode.BigEndian, true
	case head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return unicode.LittleEndian, true
	}
	return unicode.BigEndian, false
}

// fromUTF16 makes UTF-8 of r, without a byte order mark.
func fromUTF16(r io.Reader, order unicode.Endianness) io.Reader {
	return transform.NewReader(&patient{src: r}, unicode.UTF16(order, unicode.UseBOM).NewDecoder())
}

// unmark skips the byte order mark and makes UTF-8 of UTF-16. It returns how the
// file begins before that, at most 32 bytes.
func (f *subRip) unmark() (head string) {
	head = string(f.lines.peek(32))
	if order, ok := utf16Order([]byte(head)); ok {
		f.utf8 = true
		f.lines = newLines(fromUTF16(f.lines.rest(), order))
	}
	if bytes.HasPrefix(f.lines.peek(len(byteOrderMark)), []byte(byteOrderMark)) {
		f.utf8 = true
		f.lines.skip(len(byteOrderMark))
	}
	return head
}

// decodeLines makes UTF-8 of b, and leaves NUL out. A line that is not UTF-8 is
// read as Windows-1252 when that is likely, and the file is not surely UTF-8.
func decodeLines(b []byte, surely bool) []byte {
	out := make([]byte, 0, len(b)+len(b)/4+16)
	for line := range bytes.Lines(b) {
		western := !surely && isWindows1252(line)
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
	}
	return out
}

// isWindows1252 reports that a line is not UTF-8, and has no more characters of
// several bytes in UTF-8 than it has breaks in such.
func isWindows1252(line []byte) bool {
	whole, breaks := 0, 0
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
	return breaks > 0 && whole <= breaks
}
