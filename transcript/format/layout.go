package format

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// lineLength is how many characters a line of a cue may have. A cue has two.
const lineLength = 42

// cueText is the text of a segment on its way into cues.
type cueText struct {
	text    []byte // no white space but one ' ' or '\n' between words
	ascii   bool   // every byte is a character
	special bool   // '&', '<' or '>' is in it

	width int // of the lines, in characters
	cues  int // how many the text takes
	chars int // in text; known only when there are several cues
}

// Classes of bytes of a text, as bits.
const (
	blank   = 1 << iota // ' ' and '\n'
	newline             // '\n'
	escaped             // what WebVTT writes as a reference
	risky               // what SubRip may take for syntax
	mixed               // what has to be looked at as runes
)

var class = func() (table [256]byte) {
	for c := range table {
		if c < ' ' || c >= utf8.RuneSelf {
			table[c] = mixed
		}
	}
	table[' '], table['\n'] = blank, blank|newline
	table['&'], table['<'], table['>'], table['{'] = escaped, escaped|risky, escaped|risky, risky
	return table
}()

// look returns the classes in a trimmed text, and whether it is clean: ASCII that
// can be written to a file of that syntax as it stands, but for references.
func look(s string, to syntax) (is byte, clean bool) {
	var was, pairs byte
	for i := range len(s) {
		c := class[s[i]]
		is |= c
		pairs |= c & was
		was = c
	}
	return is, is&mixed == 0 && pairs&blank == 0 && (to == vtt || is&risky == 0)
}

// isCue reports whether a clean text is a cue as it stands.
func isCue(s string, is byte) bool {
	if is&newline == 0 {
		return len(s) <= lineLength
	}
	first := strings.IndexByte(s, '\n')
	return first <= lineLength && len(s)-first-1 <= lineLength && strings.LastIndexByte(s, '\n') == first
}

// appendClean appends a trimmed text. A run of white space becomes '\n' if it had
// a line break, else ' '.
func appendClean(dst []byte, s string, to syntax) ([]byte, cueText) {
	t := cueText{ascii: true}
	if is, clean := look(s, to); clean {
		t.special = is&escaped != 0
		return append(dst, s...), t
	}
	begin, gap := len(dst), byte(0)
	for _, r := range s {
		if foldable(r) {
			if gap == 0 || r != ' ' && r != '\t' {
				gap = blankOf(r)
			}
			continue
		}
		if gap != 0 {
			dst, gap = append(dst, gap), 0
		}
		switch {
		case r == 0:
			r, t.ascii = utf8.RuneError, false
		case r >= utf8.RuneSelf:
			t.ascii = false
		case r == '&', r == '<', r == '>':
			t.special = true
		}
		if to == srt && isSyntax(dst[begin:], r) {
			dst = append(dst, ' ')
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst, t
}

func blankOf(r rune) byte {
	if r == ' ' || r == '\t' {
		return ' '
	}
	return '\n'
}

// isSyntax reports whether r would make what was written look like an arrow, a
// tag or an override of SubRip.
func isSyntax(before []byte, r rune) bool {
	if len(before) == 0 {
		return false
	}
	switch before[len(before)-1] {
	case '-':
		return r == '>' && bytes.HasSuffix(before, []byte("--"))
	case '<':
		return r == '/' || 'a' <= r|0x20 && r|0x20 <= 'z'
	case '{':
		return r == '\\'
	}
	return false
}

// lay decides how the text is broken into lines and cues.
func (t *cueText) lay(text []byte) {
	t.text, t.width, t.cues = text, lineLength, 1
	if t.fits(text) {
		return
	}
	t.join(text)
	n, cut := t.tally(lineLength, len(text))
	if t.cues = n; n > 1 {
		t.chars = t.count(text)
	}
	if _, second, _, _ := t.cue(text, lineLength); cut || len(second) == 0 {
		return
	}
	chars := t.chars
	if chars == 0 {
		chars = t.count(text)
	}
	for w := chars / (2 * n); w < lineLength; w++ { // the narrowest of that many cues
		if _, cut := t.tally(w, n); !cut {
			t.width = w
			return
		}
	}
}

// fits reports whether the text is a cue as it stands.
func (t *cueText) fits(text []byte) bool {
	if len(text) <= lineLength && bytes.IndexByte(text, '\n') < 0 {
		return true
	}
	first, second, _ := bytes.Cut(text, []byte("\n"))
	return t.advance(first, lineLength) == len(first) &&
		t.advance(second, lineLength) == len(second) && bytes.IndexByte(second, '\n') < 0
}

// join makes one line of the text.
func (t *cueText) join(text []byte) {
	for i, c := range text {
		if c == '\n' {
			text[i] = ' '
		}
	}
}

// tally counts the cues of lines of a width. It gives up when a word is cut that
// a full line could hold, or when there are more than most, and says cut then.
func (t *cueText) tally(width, most int) (n int, cut bool) {
	for rest := t.text; len(rest) > 0; n++ {
		if n == most {
			return n, true
		}
		var c bool
		if _, _, rest, c = t.cue(rest, width); c {
			if width < lineLength {
				return n, true
			}
			cut = true
		}
	}
	return n, cut
}

// cue takes the lines of one cue from the text. The second may be empty.
func (t *cueText) cue(text []byte, width int) (first, second, rest []byte, cut bool) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 { // only in a text that fits
		return text[:i], text[i+1:], nil, false
	}
	first, rest, cut = t.line(text, width)
	if len(rest) == 0 {
		return first, nil, nil, cut
	}
	second, rest, also := t.line(rest, width)
	return first, second, rest, cut || also
}

// line takes one line from the text, broken at a space if there is one.
func (t *cueText) line(text []byte, width int) (line, rest []byte, cut bool) {
	n := t.advance(text, width)
	if n == len(text) {
		return text, nil, false
	}
	for at := n; at > 0; at = bytes.LastIndexByte(text[:at], ' ') {
		if text[at] == ' ' && t.advance(text[at:], 1) == 1 {
			return text[:at], text[at+1:], false
		}
	}
	return text[:n], text[n:], true
}
