package caption

import (
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/transcriptkit/transcriptkit/transcript/internal/letters"
	"github.com/transcriptkit/transcriptkit/transcript/internal/oldtext"
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
	return transform.NewReader(&stickyReader{src: r}, unicode.UTF16(order, unicode.UseBOM).NewDecoder())
}

// encoded are the lines of a file in any encoding.
type encoded struct {
	lines  *lines
	utf8   bool // for sure
	legacy legacy
}

func newEncoded(r io.Reader, o options) encoded {
	return encoded{lines: newLines(r), legacy: legacy{language: o.language}}
}

// unmark skips the byte order mark and makes UTF-8 of UTF-16. It returns how the
// file begins before that, at most 32 bytes.
func (f *encoded) unmark() (head string) {
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

// legacy is the encoding of a file that is not in UTF-8. It is found out when the
// first line tells that it is not.
type legacy struct {
	language string // of the text, a BCP 47 tag; "" when it is not known
	known    bool
	encoding encoding.Encoding // nil: each line is Windows-1252 or damaged UTF-8
	wide     bool              // its characters have several bytes
	unlikely bool              // not Windows-1252 either
}

// aheadOf is how many bytes of a file are looked at to find its encoding.
const aheadOf = 64 << 10

// find finds the encoding of a file from the lines that were read and the bytes ahead.
// If most of the file's characters beyond ASCII are valid UTF-8, the file is damaged
// UTF-8.
func (l *legacy) find(read, ahead []byte) {
	l.known = true
	var sample []byte
	whole, broken := 0, 0
	for _, part := range [][]byte{read, ahead} {
		for line := range bytes.Lines(part) {
			if isASCII(line) || len(sample)+len(line) > aheadOf && len(sample) > 0 {
				continue
			}
			line = line[:min(len(line), aheadOf)]
			characters, breaks := letters.CountUTF8(line)
			whole, broken = whole+characters, broken+breaks
			sample = append(sample, line...)
			if sample[len(sample)-1] != '\n' {
				sample = append(sample, '\n')
			}
		}
	}
	if whole > broken {
		return
	}
	if e, ok := oldtext.Encoding(sample, l.language); ok {
		l.encoding, l.wide = e, oldtext.IsWide(e)
		return
	}
	l.unlikely = !oldtext.IsWestern(sample)
}

// decodeLines makes UTF-8 of b, and leaves NUL out. A line that is not UTF-8 is
// read in the encoding of the file or, when nothing is known of that, as
// Windows-1252 when that is likely, and the file is not surely UTF-8.
func (f *encoded) decodeLines(b []byte) []byte {
	if !f.utf8 && !f.legacy.known && !utf8.Valid(b) {
		f.legacy.find(b, f.lines.peek(aheadOf))
	}
	out := make([]byte, 0, len(b)+len(b)/4+16)
	for line := range bytes.Lines(b) {
		if e := f.legacy.encoding; e != nil && (f.legacy.wide || !utf8.Valid(line)) {
			text, err := e.NewDecoder().Bytes(line)
			if err == nil && (!utf8.Valid(line) || !bytes.ContainsRune(text, utf8.RuneError)) {
				out = append(out, bytes.ReplaceAll(text, []byte{0}, nil)...)
				continue
			}
		}
		out = letters.AppendLine(out, line, !f.utf8 && f.legacy.encoding == nil && letters.IsWindows1252(line))
	}
	return out
}
