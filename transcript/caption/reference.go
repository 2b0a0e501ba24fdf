package caption

import (
	"bytes"
	"html"
	"strconv"
)

// common are the character references that captions are full of. They cost no
// allocation.
var common = []struct{ name, text []byte }{
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

// reference decodes the character reference that b, which begins with "&", may
// begin with, and returns how much of b that is. What comes up to the next "&" may
// come along.
func reference(b []byte) (text []byte, size int) {
	for _, r := range common {
		if bytes.HasPrefix(b, r.name) {
			return r.text, len(r.name)
		}
	}
	if bytes.HasPrefix(b, []byte("&#")) {
		return numeric(b)
	}
	size = len(b)
	if i := bytes.IndexByte(b[1:], '&'); i >= 0 {
		size = 1 + i
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
	for size = first; size < len(b); size++ {
		digit, err := strconv.ParseUint(string(b[size]), base, 8)
		if err != nil {
			break
		}
		code = min(code*base+int(digit), 0x110000)
	}
	if size == first {
		return b[:size], size
	}
	if size < len(b) && b[size] == ';' {
		size++
	}
	return []byte(html.UnescapeString("&#" + strconv.Itoa(code) + ";")), size
}

// decodeReferences decodes every character reference in b, once.
func decodeReferences(b []byte) (text []byte) {
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			return append(text, b...)
		}
		decoded, size := reference(b[i:])
		text = append(append(text, b[:i]...), decoded...)
		b = b[i+size:]
	}
}
