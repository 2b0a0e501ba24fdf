package letters

import (
	"bytes"
	"html"
	"strconv"
)

// Common are the character references that captions are full of. They cost no
// allocation.
var Common = []struct{ Name, Text []byte }{
	{[]byte("&amp;"), []byte("&")},
	{[]byte("&lt;"), []byte("<")},
	{[]byte("&gt;"), []byte(">")},
	{[]byte("&nbsp;"), []byte("\u00A0")},
	{[]byte("&quot;"), []byte(`"`)},
	{[]byte("&apos;"), []byte("'")},
	{[]byte("&#39;"), []byte("'")},
	{[]byte("&lrm;"), []byte("\u200E")},
	{[]byte("&rlm;"), []byte("\u200F")},
}

// longestReference is the size of the longest character reference with a name.
const longestReference = len("&CounterClockwiseContourIntegral;")

// Reference decodes the character reference that b, which begins with "&", may
// begin with, and returns its size. It looks no further than a reference may reach:
// a text may consist of ampersands. Without a reference it returns b up to where the
// name of one would end.
func Reference(b []byte) (text []byte, size int) {
	for _, r := range Common {
		if bytes.HasPrefix(b, r.Name) {
			return r.Text, len(r.Name)
		}
	}
	if bytes.HasPrefix(b, []byte("&#")) {
		return numeric(b)
	}
	b = b[:min(len(b), longestReference)]
	for size = 1; size < len(b) && (isLetter(b[size]) || isDigit(b[size])); {
		size++
	}
	if size < len(b) && b[size] == ';' {
		size++
	}
	if size == 1 {
		return b[:1], 1
	}
	return []byte(html.UnescapeString(string(b[:size]))), size
}

// numeric decodes a reference by number. Package html knows what the numbers mean
// (some are of Windows-1252), but not a number without digits or too large for it.
func numeric(b []byte) (text []byte, size int) {
	base, first := 10, 2
	if len(b) > 2 && b[2]|0x20 == 'x' {
		base, first = 16, 3
	}
	code := 0
	for size = first; size < len(b) && digit(b[size]) < base; size++ {
		code = min(code*base+digit(b[size]), 0x110000)
	}
	if size == first {
		return b[:size], size
	}
	if size < len(b) && b[size] == ';' {
		size++
	}
	return []byte(html.UnescapeString("&#" + strconv.Itoa(code) + ";")), size
}

// digit is the value of a hexadecimal digit, and 16 for any other character. An error
// of package strconv is an allocation, and a text may consist of "&#x".
func digit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 16
}

// DecodeReferences decodes every character reference in b, once.
func DecodeReferences(b []byte) (text []byte) {
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			return append(text, b...)
		}
		decoded, size := Reference(b[i:])
		text = append(append(text, b[:i]...), decoded...)
		b = b[i+size:]
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
