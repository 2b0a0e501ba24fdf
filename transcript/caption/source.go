package caption

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const byteOrderMark = "\uFEFF"

// sniffed is how much of a file tells its encoding.
const sniffed = 1 << 10

// xmlDeclaration finds the encoding that an XML file declares.
var xmlDeclaration = regexp.MustCompile(`^\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']`)

// decoded makes UTF-8 of r, without a byte order mark; what is no character in
// the file becomes U+FFFD. The head is how the file begins before that, at most
// 32 bytes.
func decoded(r io.Reader) (head []byte, text io.Reader) {
	b := bufio.NewReader(&stickyReader{src: r})
	start, _ := b.Peek(sniffed) // the error comes again when it is its turn
	head = bytes.Clone(start[:min(len(start), 32)])
	decoder := decoderFor(start)
	if bytes.HasPrefix(start, []byte(byteOrderMark)) {
		_, _ = b.Discard(len(byteOrderMark)) // they are in the buffer
	}
	return head, transform.NewReader(b, decoder)
}

// decoderFor returns the decoder for the start of a file. The byte order mark goes
// before the file's declaration. A readable declaration is not in UTF-16, even if the
// declaration names UTF-16. A file in an unknown encoding is read as UTF-8.
func decoderFor(start []byte) transform.Transformer {
	if order, ok := utf16Order(start); ok {
		return unicode.UTF16(order, unicode.UseBOM).NewDecoder()
	}
	if declared := xmlDeclaration.FindSubmatch(start); declared != nil {
		e, err := htmlindex.Get(string(declared[1]))
		if err == nil && !bytes.HasPrefix(bytes.ToLower(declared[1]), []byte("utf-16")) {
			return e.NewDecoder()
		}
	}
	return &utf8Decoder{unicode.UTF8.NewDecoder()}
}

// utf8Decoder copies what is UTF-8 already, which is faster.
type utf8Decoder struct{ transform.Transformer }

// Transform implements [transform.Transformer].
func (d *utf8Decoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	if len(src) > len(dst) || !utf8.Valid(src) {
		return d.Transformer.Transform(dst, src, atEOF)
	}
	return copy(dst, src), len(src), nil
}

// stickyReader reads src. Its error stays, and comes without bytes; a reader that has
// neither bytes nor an error, again and again, has one.
type stickyReader struct {
	src io.Reader
	err error
}

func (p *stickyReader) Read(b []byte) (n int, err error) {
	for range 100 {
		if p.err != nil {
			return 0, p.err
		}
		if n, p.err = p.src.Read(b); n > 0 {
			return n, nil
		}
	}
	p.err = io.ErrNoProgress
	return 0, p.err
}

// boundedReader hands out the bytes of src one by one, and no more than allowed. Control
// characters, which XML does not know, become spaces.
type boundedReader struct {
	src      io.Reader
	buf      []byte
	pos, end int   // buf[pos:end] is still to be handed out,
	stop     int   // and allowed up to buf[stop]
	before   int64 // bytes handed out before buf
	limit    int64 // of the bytes handed out
	failed   error // why there is no more
}

func newBoundedReader(src io.Reader) *boundedReader {
	return &boundedReader{src: src, buf: make([]byte, 4<<10)}
}

// handed returns how many bytes were handed out.
func (b *boundedReader) handed() int64 { return b.before + int64(b.pos) }

// allow lets n more bytes out.
func (b *boundedReader) allow(n int64) {
	b.limit = b.handed() + n
	b.stop = int(min(int64(b.end), b.limit-b.before))
}

// back takes back the last n bytes. n is 0 or 1.
func (b *boundedReader) back(n int64) { b.pos -= int(n) }

// ahead is what is handed out next, as far as it is in the buffer.
func (b *boundedReader) ahead() []byte { return b.buf[b.pos:b.stop] }

// skip hands out n of the bytes ahead.
func (b *boundedReader) skip(n int) { b.pos += n }

// after reports whether the bytes handed out last are surely these.
func (b *boundedReader) after(last ...byte) bool { return bytes.HasSuffix(b.buf[:b.pos], last) }

// ReadByte implements [io.ByteReader].
func (b *boundedReader) ReadByte() (byte, error) {
	if b.pos == b.stop {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	c := b.buf[b.pos]
	b.pos++
	return c, nil
}

// Read implements [io.Reader].
func (b *boundedReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := b.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = c
	return 1, nil
}

// fill reads more, unless that is not allowed.
func (b *boundedReader) fill() error {
	if b.handed() == b.limit {
		b.failed = ErrTooLarge
		return b.failed
	}
	b.before = b.handed()
	n, err := b.src.Read(b.buf)
	b.pos, b.end = 0, n
	b.stop = int(min(int64(n), b.limit-b.before))
	if n == 0 {
		b.failed = err // an error that came with bytes comes again
	}
	for i, c := range b.buf[:n] {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			b.buf[i] = ' '
		}
	}
	return b.failed
}
