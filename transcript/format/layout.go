package format

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/transcript/internal/eight"
)

// lineLength is the largest number of columns in a line of a cue, see [cluster]. A cue
// has two lines.
const lineLength = 42

// cueText is the text of a segment while it is divided into cues.
type cueText struct {
	text    []byte // the only white space is one ' ' or '\n' between words
	ascii   bool   // every byte is a character
	special bool   // the text contains '&', '<' or '>'

	kept   bool // the text is one cue, with the line breaks of the text
	width  int  // otherwise: of the lines, in columns
	gentle bool // lines are broken at pauses
	cues   int  // how many cues the text takes
	chars  int  // in the text; known only if there are several cues
}

// Classes of bytes of a text, as bits.
const (
	blank   = 1 << iota // ' ' and '\n'
	newline             // '\n'
	escaped             // characters that WebVTT writes as a reference
	risky               // characters that SubRip may take for syntax
	wide                // of characters of several bytes
	mixed               // bytes that must be read as runes, including line ends
)

var class = func() (table [256]byte) {
	for c := range table {
		switch {
		case c < ' ', c == 0x7F, c == 0xC2, c == 0xE2: // the last two begin U+0085, U+2028 and U+2029
			table[c] = mixed
		case c >= utf8.RuneSelf:
			table[c] = wide
		}
	}
	table[' '], table['\n'] = blank, blank|newline
	table['&'], table['<'], table['>'] = escaped|risky, escaped|risky, escaped|risky
	table['\\'], table['{'] = risky, risky
	return table
}()

// classify returns the classes in a trimmed text. clean reports whether the text can be
// written to a file of that syntax unchanged, except for references.
func classify(s string, to syntax) (is byte, clean bool) {
	var was, pairs byte
	for i := range len(s) {
		c := class[s[i]]
		is |= c
		pairs |= c & was
		was = c
	}
	clean = is&mixed == 0 && pairs&blank == 0 && (to == vtt || is&risky == 0 || !maySyntax(s))
	return is, clean && (is&wide == 0 || utf8.ValidString(s))
}

// maySyntax reports whether s contains a beginning or an end of the syntax that
// [isSyntax] finds. Most texts with an ampersand use it as a word.
func maySyntax(s string) bool {
	return strings.IndexByte(s, '<') >= 0 || strings.IndexByte(s, '\\') >= 0 || strings.IndexByte(s, '{') >= 0 || strings.Contains(s, "-->") ||
		strings.IndexByte(s, ';') >= 0 && strings.IndexByte(s, '&') >= 0
}

// asIs reports whether a trimmed text is a cue without changes. special reports whether
// some characters must be written as references.
func asIs(s string, to syntax) (special, ok bool) {
	if special, ok = isSimpleCue(s); ok {
		return special, !special || to == vtt || !maySyntax(s)
	}
	is, clean := classify(s, to)
	return is&escaped != 0, clean && isCue(s, is)
}

// isSimpleCue reports whether a trimmed text consists of one or two simple lines. Most
// texts do, and this check takes half the time of classify and isCue.
func isSimpleCue(s string) (special, ok bool) {
	end := strings.IndexByte(s, '\n')
	if end < 0 && len(s) <= lineLength {
		return isSimple(s)
	}
	if end < 0 {
		return false, false
	}
	first, second := s[:end], s[end+1:]
	if len(first) > lineLength || len(second) > lineLength || first[end-1] == ' ' || second[0] == ' ' {
		return false, false
	}
	special, ok = isSimple(first)
	if !ok {
		return false, false
	}
	also, ok := isSimple(second)
	return special || also, ok
}

// isSimple reports whether a line has at least 8 bytes, all of them printable ASCII below
// '{' except '\\', and no two spaces in a row. It also reports whether the line contains
// '&', '<' or '>'.
func isSimple(s string) (special, ok bool) {
	for len(s) >= 8 {
		v := eight.Load(s)
		spaces := v.Equal(' ')
		if !v.Below('{').All() || v.Below(' ')|v.Equal('\\')|spaces&spaces.Before() != 0 {
			return false, false
		}
		special = special || v.Equal('&')|v.Equal('<')|v.Equal('>') != 0
		if len(s) == 8 {
			return special, true
		}
		s = s[min(7, len(s)-8):] // the byte after the eighth is not known
	}
	return false, false
}

// isCue reports whether a clean text is certainly a cue without changes.
func isCue(s string, is byte) bool {
	if is&newline == 0 {
		return isLine(s)
	}
	first := strings.IndexByte(s, '\n')
	return isLine(s[:first]) && isLine(s[first+1:]) && strings.LastIndexByte(s, '\n') == first
}

// firstWide is the first rune that takes two columns by itself.
const firstWide = 0x1100

// isLine reports whether a line certainly has few enough columns: no character has more
// columns than bytes, and no character before firstWide has more than one column.
func isLine(s string) bool {
	if len(s) <= lineLength || len(s) > lineLength*utf8.UTFMax {
		return len(s) <= lineLength
	}
	columns := 0
	for _, r := range s {
		if columns++; r >= firstWide && (r < 0x1E00 || r >= 0x231A) { // there are Vietnamese letters and quotes in this range
			columns++
		}
	}
	return columns <= lineLength
}

// appendClean appends a trimmed text. A run of white space becomes '\n' if it had a line
// break, otherwise ' '.
func appendClean(dst []byte, s string, to syntax) ([]byte, cueText) {
	is, clean := classify(s, to)
	t := cueText{ascii: is&wide == 0, special: is&escaped != 0}
	if clean {
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
		if r = legible.Rune(r); r >= utf8.RuneSelf {
			t.ascii = false
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

// isSyntax reports whether r would complete an arrow, a tag, an override, an escape or a
// character reference, which some readers of SubRip interpret.
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
	case '\\':
		return r == 'N' || r == 'h'
	}
	return r == ';' && endsReference(before) || r == ':' && beginsSyntax(before)
}

// beginsSyntax reports whether a colon would begin a style of MicroDVD ("{y:i}"), or
// continue a WebVTT time within a text ("<00:01.500>").
func beginsSyntax(before []byte) bool {
	digits := len(before) - len(bytes.TrimRight(before, "0123456789"))
	if digits > 0 {
		return bytes.HasSuffix(before[:len(before)-digits], []byte("<"))
	}
	n := len(before)
	return n > 1 && before[n-2] == '{' && bytes.IndexByte([]byte("CcFfoPSsYy"), before[n-1]) >= 0
}

// endsReference reports whether a semicolon would end a character reference.
func endsReference(before []byte) bool {
	before = before[max(0, len(before)-len("&nbsp")):]
	i := bytes.LastIndexByte(before, '&')
	return i >= 0 && len(before)-i > len("&a")
}

// layOut decides how to break the text into lines and cues.
func (t *cueText) layOut(text []byte) {
	t.text, t.width, t.cues = text, lineLength, 1
	if t.kept = t.fits(text); t.kept {
		return
	}
	join(text)
	if t.advance(text, lineLength) == len(text) {
		return
	}
	n, cut := t.countCues(lineLength, len(text))
	chars, columns := t.count(text)
	if t.cues = n; n > 1 {
		t.chars = chars
	}
	if cut {
		return
	}
	if n == 1 && t.ascii {
		t.width = middle(text)
		return
	}
	for _, t.gentle = range []bool{true, false} {
		if t.gentle && t.ascii { // the text has no such pauses
			continue
		}
		for w := columns / (2 * n); w <= lineLength; w++ { // the narrowest lines with that number of cues
			if _, cut := t.countCues(w, n); !cut {
				t.width = w
				return
			}
		}
	}
}

// middle returns the length of the longer line if text is broken at the space nearest to
// its middle.
func middle(text []byte) int {
	half := len(text) / 2
	width := len(text)
	if at := bytes.IndexByte(text[half:], ' '); at >= 0 {
		width = half + at
	}
	if at := bytes.LastIndexByte(text[:half], ' '); at >= 0 {
		width = min(width, len(text)-at-1)
	}
	return width
}

// fits reports whether the text is a cue without changes.
func (t *cueText) fits(text []byte) bool {
	if len(text) <= lineLength && bytes.IndexByte(text, '\n') < 0 {
		return true
	}
	first, second, _ := bytes.Cut(text, []byte("\n"))
	return t.advance(first, lineLength) == len(first) &&
		t.advance(second, lineLength) == len(second) && bytes.IndexByte(second, '\n') < 0
}

// join joins the text into one line.
func join(text []byte) {
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return
		}
		at += i
		text[at] = ' '
	}
}

// countCues counts the cues for lines of a width, and reports whether a word is cut. If
// there are more than most cues, it stops counting and reports that.
func (t *cueText) countCues(width, most int) (n int, cut bool) {
	for rest := t.text; len(rest) > 0; n++ {
		if n == most {
			return n, true
		}
		var within bool
		_, _, rest, within = t.cue(rest, width)
		cut = cut || within
	}
	return n, cut
}

// cue removes the lines of one cue from the text. The second line may be empty.
func (t *cueText) cue(text []byte, width int) (first, second, rest []byte, cut bool) {
	if t.kept {
		first, second, _ = bytes.Cut(text, []byte("\n"))
		return first, second, nil, false
	}
	first, rest, cut = t.line(text, width)
	if len(rest) == 0 {
		return first, nil, nil, cut
	}
	second, rest, also := t.line(rest, width)
	return first, second, rest, cut || also
}

// line removes one line from the text. It breaks the line at the last space, or later at
// a place where a script without spaces permits a break. A gentle line is broken at a
// pause, if at most half of the line stays empty. Otherwise the line is cut.
func (t *cueText) line(text []byte, width int) (line, rest []byte, cut bool) {
	n := t.advance(text, width)
	if n == len(text) {
		return text, nil, false
	}
	space := t.lastSpace(text, n)
	if !t.ascii && hasUnspaced(text[space:], n-space) {
		half := n
		if t.gentle {
			half = t.advance(text, width/2)
		}
		if at := lastBreak(text, space, half, n); at > space {
			return text[:at], text[at:], false
		}
	}
	if space > 0 {
		return text[:space], text[space+1:], false
	}
	return text[:n], text[n:], true
}

// lastSpace returns where the last space up to n is, or 0 if there is none.
func (t *cueText) lastSpace(text []byte, n int) int {
	for at := n; at > 0; at = bytes.LastIndexByte(text[:at], ' ') {
		if text[at] == ' ' && t.advance(text[at:], 1) == 1 {
			return at
		}
	}
	return 0
}
