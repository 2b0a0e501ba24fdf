package caption

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// sniffed is how much of a file tells its encoding.
const sniffed = 1 << 10

// xmlDeclaration finds the encoding that an XML file declares.
var xmlDeclaration = regexp.MustCompile(`^\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']`)

// decoded makes UTF-8 of r, without a byte order mark; what is no character in
// the file becomes U+FFFD. The head is how the file begins before that, at most
// 32 bytes.
func decoded(r io.Reader) (head []byte, text io.Reader) {
	b := bufio.NewReader(&patient{src: r})
	start, _ := b.Peek(sniffed) // the error comes again when it is its turn
	head = bytes.Clone(start[:min(len(start), 32)])
	return head, transform.NewReader(b, decoderFor(start))
}

// decoderFor returns the decoder of a file that begins so. The byte order mark
// goes before what the file declares, and a declaration that can be read is not in
// UTF-16, whatever it says. An encoding that nobody knows is read as UTF-8.
func decoderFor(start []byte) transform.Transformer {
	if bytes.HasPrefix(start, []byte("\xFE\xFF")) || bytes.HasPrefix(start, []byte("\xFF\xFE")) {
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	}
	if declared := xmlDeclaration.FindSubmatch(start); declared != nil {
		e, err := htmlindex.Get(string(declared[1]))
		if err == nil && !bytes.HasPrefix(bytes.ToLower(declared[1]), []byte("utf-16")) {
			return e.NewDecoder()
		}
	}
	return unicode.UTF8BOM.NewDecoder()
}

// patient reads src. Its error stays, and comes without bytes; a reader that has
// neither bytes nor an error, again and again, has one.
type patient struct {
	src io.Reader
	err error
}

func (p *patient) Read(b []byte) (n int, err error) {
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

// bounded hands out the bytes of src one by one, and no more than allowed. Control
// characters, which XML does not know, become spaces.
type bounded struct {
	src      io.Reader
	buf      []byte
	pos, end int // buf[pos:end] is still to be handed out
	handed   int64
	limit    int64 // of handed
	failed   error // why there is no more
}

func newBounded(src io.Reader) *bounded {
	return &bounded{src: src, buf: make([]byte, 4<<10)}
}

// allow lets n more bytes out.
func (b *bounded) allow(n int64) { b.limit = b.handed + n }

// back takes the last n bytes back, of which there is at most one.
func (b *bounded) back(n int64) {
	b.pos -= int(n)
	b.handed -= n
}

// ReadByte implements [io.ByteReader].
func (b *bounded) ReadByte() (byte, error) {
	if b.pos == b.end || b.handed == b.limit {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	c := b.buf[b.pos]
	b.pos++
	b.handed++
	if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
		c = ' '
	}
	return c, nil
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
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
func (b *bounded) fill() error {
	if b.handed == b.limit {
		b.failed = ErrTooLarge
		return b.failed
	}
	n, err := b.src.Read(b.buf)
	b.pos, b.end = 0, n
	if n == 0 {
		b.failed = err // an error that came with bytes comes again
	}
	return b.failed
}
