package caption

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxDepth bounds how deep elements stand in each other. A caption file has some
// ten levels.
const maxDepth = 256

// ErrTooDeep is wrapped by the error about XML elements or JSON values that are nested
// more than 256 deep.
var ErrTooDeep = errors.New("nested more than 256 deep")

// markup reads an XML file as a sequence of tags and text. Names are local names,
// because prefixes differ from file to file, see namespaces. markup never expands
// entities that the file defines; they stay in the text as written.
//
// A tag or a run of text that is not well-formed is lost alone. An end tag also closes
// the open elements within its element. An end tag without an element is ignored. But a
// file that ends before its root element was cut off, and this is an error.
type markup struct {
	format Format
	head   string // how the file begins
	src    *boundedReader
	dec    *xml.Decoder
	base   int64 // bytes handed out before dec
	lines  int   // and the line breaks in them
	fresh  bool  // dec has read whole tokens, and the next one has not begun

	open   []string // elements, the innermost last
	ending int      // how many of them end before the next token
	done   bool     // the root element has ended
	lost   losses

	// The last token.
	name   string // of the tag
	prefix string // of the name of a start tag
	attr   []xml.Attr
	text   []byte // decoded; good, and free to be changed, until the next token
}

// token is what next has found.
type token byte

const (
	startTag token = iota + 1
	endTag
	charData
)

func newMarkup(r io.Reader, format Format) *markup {
	head, src := decoded(r)
	m := &markup{format: format, head: string(head), src: newBoundedReader(src)}
	m.dec = m.decoder()
	return m
}

// decoder goes on where the last one stopped.
func (m *markup) decoder() *xml.Decoder {
	d := xml.NewDecoder(m.src)
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // src is UTF-8 already
	return d
}

// root reads up to the root element, which is called name.
func (m *markup) root(name string) error {
	for {
		t, err := m.next()
		switch {
		case err == io.EOF:
			return &FormatError{Format: m.format, Head: m.head}
		case err != nil:
			return err
		case t == startTag && m.name == name:
			return nil
		case t == charData && len(bytes.TrimSpace(m.text)) == 0:
		default:
			return &FormatError{Format: m.format, Head: m.head}
		}
	}
}

// next returns the next tag or run of text. Each start tag has its end tag. The
// error is io.EOF after that of the root element.
func (m *markup) next() (token, error) {
	if m.ending > 0 {
		return m.end(), nil
	}
	if m.done {
		return 0, io.EOF
	}
	for {
		m.src.allow(maxBlock)
		if t := m.ahead(); t != 0 {
			return t, nil
		}
		from := m.base + m.dec.InputOffset()
		m.fresh = false
		t, err := m.dec.RawToken()
		if err != nil {
			if err := m.broken(err); err != nil {
				return 0, err
			}
			if m.base == from+1 { // nothing that begins a tag follows the "<"
				m.text = []byte("<")
				m.fresh = true
				return charData, nil
			}
			m.lose(len(m.open), "what stands there is not well-formed")
			continue
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(m.open) == maxDepth {
				return 0, m.failed(ErrTooDeep)
			}
			m.open = append(m.open, t.Name.Local)
			m.name, m.prefix, m.attr = t.Name.Local, t.Name.Space, t.Attr
			m.fresh = m.src.after('>') && !m.src.after('/', '>') // else its end tag comes from dec, too
			return startTag, nil
		case xml.EndElement:
			m.fresh = true
			if m.ending = m.depth(t.Name.Local); m.ending > 0 {
				return m.end(), nil
			}
		case xml.CharData:
			m.text = t
			return charData, nil
		}
	}
}

// ahead takes the next token past the decoder when it is as most are: text as it
// stands, the end tag of the innermost element, whole in the buffer, or a "<" that
// begins no tag. Else it returns 0. The decoder takes bytes one by one, so this saves a
// quarter of the time that reading takes.
func (m *markup) ahead() token {
	if !m.fresh || len(m.open) == 0 {
		return 0
	}
	b := m.src.ahead()
	if n := plainText(b); n > 0 {
		m.text = b[:n]
		m.skip(m.text)
		return charData
	}
	if isBareBracket(b) {
		m.text = b[:1]
		m.skip(m.text)
		return charData
	}
	if name := m.open[len(m.open)-1]; isEndTag(b, name) {
		m.skip(b[:len("</>")+len(name)])
		m.ending = 1
		return m.end()
	}
	return 0
}

// skip takes b, which is ahead.
func (m *markup) skip(b []byte) {
	m.src.skip(len(b))
	m.base += int64(len(b))
	m.lines += bytes.Count(b, lineFeed)
}

var lineFeed = []byte("\n")

// plainText returns the size of the text that b begins with, when a tag follows
// and the decoder would return the text as it stands; else 0.
func plainText(b []byte) int {
	for i, c := range b {
		switch c {
		case '<':
			return i
		case '&', '\r', '>', 0xEF: // reference, line break, "]]>", U+FFFE and U+FFFF
			return 0
		}
	}
	return 0
}

// isBareBracket reports whether b begins with a "<" that begins no tag. The decoder fails
// at it and is of no use then, and a text may consist of them.
func isBareBracket(b []byte) bool {
	return len(b) > 1 && b[0] == '<' && b[1] < utf8.RuneSelf && !isNameByte(b[1]) && bytes.IndexByte([]byte("/!?"), b[1]) < 0
}

// isNameByte reports the characters of ASCII that a name in XML consists of.
func isNameByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '_' || c == ':' || c == '.' || c == '-'
}

// isEndTag reports whether b begins with the end tag of name.
func isEndTag(b []byte, name string) bool {
	n := len("</") + len(name)
	return len(b) > n && b[0] == '<' && b[1] == '/' && b[n] == '>' && string(b[2:n]) == name
}

// depth returns how many open elements the end tag of name ends.
func (m *markup) depth(name string) int {
	for i := len(m.open) - 1; i >= 0; i-- {
		if m.open[i] == name {
			return len(m.open) - i
		}
	}
	return 0
}

// end ends the innermost element.
func (m *markup) end() token {
	last := len(m.open) - 1
	m.name, m.attr = m.open[last], nil
	m.open = m.open[:last]
	m.ending--
	m.done = last == 0
	return endTag
}

// broken decides about an error of the decoder: the input has ended, or failed, or
// what was read is not well-formed. A decoder stops there for good, so that another
// one goes on.
func (m *markup) broken(err error) error {
	if failed := m.src.failed; failed != nil {
		if failed != io.EOF {
			return m.failed(failed)
		}
		if len(m.open) == 0 && err == io.EOF {
			return io.EOF // only comments and the like, which may stand before the root
		}
		return m.failed(io.ErrUnexpectedEOF)
	}
	line, _ := m.dec.InputPos()
	m.lines += line - 1
	m.src.back(m.src.handed() - m.base - m.dec.InputOffset())
	m.base = m.src.handed()
	m.dec = m.decoder()
	return nil
}

// lose counts a cue that ends here and cannot be used, unless its size is 0.
func (m *markup) lose(size int, reason string) {
	if size > 0 {
		m.lost.add("in line %d: %s", m.line()+1, reason)
	}
}

// line is how many lines have been read.
func (m *markup) line() int {
	line, _ := m.dec.InputPos()
	return m.lines + line - 1
}

// failed says where reading stopped.
func (m *markup) failed(err error) error {
	return fmt.Errorf("caption: %s after line %d: %w", m.format, m.line(), err)
}
