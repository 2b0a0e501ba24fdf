package feed

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// bounded reads at most left bytes and then fails with ErrTooLarge.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, MaxBytes)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, MaxBytes)
	}
	return n, err
}

// declared finds the charset in the first line of an XML document.
var declared = regexp.MustCompile(`^\s*<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// utf8Reader returns the text of a document in UTF-8, without characters that XML forbids.
// A byte order mark decides first, then the declaration of the document, then the header
// of the answer: servers send more wrong headers than publishers write wrong declarations.
func utf8Reader(r io.Reader, contentType string) io.Reader {
	head := bufio.NewReaderSize(r, 1<<10)
	start, _ := head.Peek(1 << 10) // a shorter document is complete, and the same error follows
	var decoder transform.Transformer
	switch {
	case bytes.HasPrefix(start, []byte{0xEF, 0xBB, 0xBF}):
		_, _ = head.Discard(3) // the bytes are in the buffer
		decoder = loose{}
	case bytes.HasPrefix(start, []byte{0xFE, 0xFF}), bytes.HasPrefix(start, []byte{0xFF, 0xFE}):
		decoder = unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder()
	default:
		decoder = decoderOf(start, contentType)
	}
	return transform.NewReader(head, transform.Chain(decoder, runes.Remove(runes.Predicate(forbidden))))
}

func decoderOf(start []byte, contentType string) transform.Transformer {
	var label string
	if found := declared.FindSubmatch(start); found != nil {
		label = string(found[1])
	} else if _, params, err := mime.ParseMediaType(contentType); err == nil {
		label = params["charset"]
	}
	// A document in UTF-16 has a byte order mark; a document without the mark has another charset than it says.
	if strings.HasPrefix(strings.ToLower(label), "utf-16") || label == "" {
		return loose{}
	}
	found, name := charset.Lookup(label)
	if found == nil || found == encoding.Nop || name == "utf-8" || name == "replacement" {
		return loose{}
	}
	return found.NewDecoder()
}

// forbidden reports whether XML forbids a character.
func forbidden(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

// loose reads UTF-8. It reads a byte that is not UTF-8 as Windows-1252, because many
// documents that claim to be UTF-8 contain such bytes.
type loose struct{ transform.NopResetter }

func (loose) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		r, size := utf8.DecodeRune(src[nSrc:])
		if r == utf8.RuneError && size == 1 {
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nDst, nSrc, transform.ErrShortSrc
			}
			r = charmap.Windows1252.DecodeByte(src[nSrc])
		}
		if nDst+utf8.RuneLen(r) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc += size
	}
	return nDst, nSrc, nil
}

// skipSpace reads white space up to the first other character.
func skipSpace(r *bufio.Reader) error {
	for {
		c, _, err := r.ReadRune()
		if err != nil {
			return err
		}
		if !strings.ContainsRune(" \t\r\n\uFEFF", c) {
			return r.UnreadRune()
		}
	}
}
