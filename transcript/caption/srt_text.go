package caption

import (
	"bytes"
	"cmp"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// segment fills s, with times in milliseconds, when there is text to show.
func (f *subRip) segment(s *transcript.Segment, raw []byte, start, end int64) error {
	if !isShown(raw) {
		if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
			raw = decodeLines(raw, f.utf8)
		}
		if err := f.show(raw); err != nil {
			return err
		}
		raw = f.text.out
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	s.Text = f.text.keep(raw)
	s.Start, s.Duration = seconds(start), seconds(max(end-start, 0))
	return nil
}

// Classes of bytes for isShown.
const (
	srtSyntax = 1 << iota // it may not be shown as it stands
	srtSpace
	srtWide // it is part of a character of several bytes
)

var srtClass = func() (table [256]byte) {
	for c := range table {
		switch {
		case c < ' ':
			table[c] = srtSyntax
		case c >= utf8.RuneSelf:
			table[c] = srtWide
		}
	}
	table[' '], table['\n'] = srtSpace, srtSpace
	table['<'], table['{'], table['&'], table['\\'] = srtSyntax, srtSyntax, srtSyntax, srtSyntax
	return table
}()

// isShown reports that b is surely shown as it stands, as most text is.
func isShown(b []byte) bool {
	is, was, pairs := byte(0), byte(srtSpace), byte(0)
	for _, c := range b {
		c := srtClass[c]
		is |= c
		pairs |= c & was
		was = c
	}
	if is&srtSyntax != 0 || (pairs|was)&srtSpace != 0 {
		return false
	}
	return is&srtWide == 0 || utf8.Valid(b) && !bytes.Contains(b, noBreak) && !bytes.Contains(b, zeroWidth)
}

// show adds the text without its markup.
func (f *subRip) show(b []byte) error {
	for {
		i := bytes.IndexAny(b, `<{&\`)
		if i < 0 {
			return f.text.say(b, nil)
		}
		shown, size := srtMarkup(b[i:])
		if err := cmp.Or(f.text.say(b[:i], nil), f.text.say(shown, nil)); err != nil {
			return err
		}
		b = b[i+size:]
	}
}

// srtMarkup returns what is shown of the markup that b begins with, and its size.
// Where there is none that is the first byte.
func srtMarkup(b []byte) (shown []byte, size int) {
	switch b[0] {
	case '<':
		if shown, size, ok := srtTag(b); ok {
			return shown, size
		}
	case '{':
		if i := bytes.IndexAny(b[1:], "{}\n"); i > 0 && b[1] == '\\' && b[1+i] == '}' {
			return nil, i + 2
		}
	case '\\':
		if bytes.HasPrefix(b, []byte(`\N`)) {
			return []byte("\n"), 2
		}
		if bytes.HasPrefix(b, []byte(`\h`)) {
			return []byte(" "), 2
		}
	case '&':
		for _, r := range common {
			if bytes.HasPrefix(b, r.name) {
				return r.text, len(r.name)
			}
		}
	}
	return b[:1], 1
}

// srtTag returns what is shown of the tag that b begins with: a line break or
// nothing.
func srtTag(b []byte) (shown []byte, size int, ok bool) {
	end := bytes.IndexAny(b[1:], "<>\n")
	if end < 0 || b[1+end] != '>' {
		return nil, 0, false
	}
	name := bytes.TrimPrefix(b[1:1+end], []byte("/"))
	for i, c := range name {
		if isSpace(c) || c == '/' {
			name = name[:i]
			break
		}
	}
	if len(name) > len("font") {
		return nil, 0, false
	}
	lower := [4]byte{}
	for i, c := range name {
		lower[i] = c | 0x20
	}
	switch string(lower[:len(name)]) {
	case "br":
		shown = []byte("\n")
	case "i", "b", "u", "s", "font":
	default:
		return nil, 0, false
	}
	return shown, end + 2, true
}
