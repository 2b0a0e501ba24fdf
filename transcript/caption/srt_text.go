package caption

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/internal/letters"
)

// segment fills s, with times in milliseconds, when there is text to show.
func (f *subRip) segment(s *transcript.Segment, raw []byte, start, end int64) error {
	if f.legacy.wide && !isASCII(raw) || !isShown(raw) {
		if f.legacy.wide || !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
			raw = f.decodeLines(raw)
		}
		if f.legacy.unlikely && !utf8.Valid(f.text.raw) {
			f.lost.add(noEncoding, f.lines.number)
			return nil
		}
		f.voice, f.unruby, f.styled = nil, false, bytes.Contains(raw, []byte(`{\`))
		if err := f.show(raw); err != nil {
			return err
		}
		f.text.fill(s, start, end)
		return nil
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
	table[0x7F], table[0xC2] = srtSyntax, srtSyntax // DEL, and what begins U+0080 to U+009F
	table['<'], table['{'], table['&'], table['\\'] = srtSyntax, srtSyntax, srtSyntax, srtSyntax
	return table
}()

// isShown reports whether b is surely shown as it stands, as most text is.
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
	return is&srtWide == 0 || utf8.Valid(b) && !bytes.Contains(b, noBreak) && !letters.HasInvisible(b)
}

// show adds the text without its markup.
func (f *subRip) show(b []byte) error {
	before := byte('\n') // the last byte before b, 'h' for that of a \h
	for {
		i := bytes.IndexAny(b, `<{&\`)
		if i < 0 {
			return f.text.addText(b, f.voice)
		}
		if err := f.text.addText(b[:i], f.voice); err != nil {
			return err
		}
		if i > 0 {
			before = b[i-1]
		}
		shown, size := f.markup(b[i:], before)
		if len(shown) > 0 {
			if before = shown[len(shown)-1]; before == ' ' { // it was a \h
				before = 'h'
			}
		}
		if err := f.text.addText(shown, f.voice); err != nil {
			return err
		}
		b = b[i+size:]
	}
}

// markup returns the shown text of the markup at the start of b, and the size of the
// markup. before is the byte before b. If b does not begin with markup, the text is its
// first byte.
func (f *subRip) markup(b []byte, before byte) (shown []byte, size int) {
	switch b[0] {
	case '<':
		if shown, size, ok := f.tag(b); ok {
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
		if bytes.HasPrefix(b, []byte(`\h`)) && (f.styled || !isWord(b[1:], before)) {
			return []byte(" "), 2
		}
	case '&':
		for _, r := range letters.Common {
			if bytes.HasPrefix(b, r.Name) {
				return r.Text, len(r.Name)
			}
		}
	}
	return b[:1], 1
}

// isWord reports whether b, which follows a backslash and before that another byte,
// goes on in small letters where a word begins: "\happen" is a word. In files that were
// made of ASS or teletext \h is a space between words, in a run ("\h\hmoney") or before
// a capital letter ("\hMONEY").
func isWord(b []byte, before byte) bool {
	begins := isSpace(before) || bytes.IndexByte([]byte(`"'([:`), before) >= 0
	return begins && len(b) > 1 && 'a' <= b[1] && b[1] <= 'z'
}

// tag returns what is shown of the tag that b begins with: a line break or
// nothing. Tags of WebVTT are what a careless conversion has left.
func (f *subRip) tag(b []byte) (shown []byte, size int, ok bool) {
	end := bytes.IndexAny(b[1:], "<>\n")
	if end < 0 || b[1+end] != '>' {
		return nil, 0, false
	}
	tag, size := b[1:1+end], end+2
	if _, rest, ok := timestamp(tag); ok && len(rest) == 0 {
		return nil, size, true
	}
	name, ends := bytes.CutPrefix(tag, []byte("/"))
	for i, c := range name {
		if isSpace(c) || c == '/' || c == '.' {
			name = name[:i]
			break
		}
	}
	switch strings.ToLower(string(name[:min(len(name), len("font")+1)])) {
	case "br":
		return []byte("\n"), size, true
	case "v":
		f.voice = nil
		if !ends {
			f.voice = speakerName(bytes.TrimLeftFunc(tag[1:], func(r rune) bool { return !isSpaceRune(r) }))
		}
		return nil, size, true
	case "i", "b", "u", "s", "font", "c", "lang", "ruby":
		return nil, size, true
	case "rt":
		if !ends {
			size = max(size, f.annotation(b))
		}
		return nil, size, true
	}
	return nil, 0, false
}

// annotation returns the size of the ruby annotation that b begins with, 0 when it has
// no end. The text after one without an end is searched once only.
func (f *subRip) annotation(b []byte) int {
	if f.unruby {
		return 0
	}
	size := bytes.Index(b, []byte("</rt>"))
	f.unruby = size < 0
	return max(size, 0)
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
