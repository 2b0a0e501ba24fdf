package caption

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Characters without a width. The joiners change the letters beside them in some scripts.
const (
	zeroWidthSpace = '\u200B'
	nonJoiner      = '\u200C'
	joiner         = '\u200D'
	wordJoiner     = '\u2060'
)

// joining are the scripts that need joiners.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Phags_Pa, unicode.Adlam, unicode.Hanifi_Rohingya,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Myanmar, unicode.Khmer, unicode.Lao, unicode.Thai, unicode.Tibetan, unicode.Balinese, unicode.Javanese,
}

// hasInvisible reports whether a text may have characters without a width.
func hasInvisible(b []byte) bool {
	for i := bytes.IndexByte(b, 0xE2); i >= 0 && i+2 < len(b); {
		if b[i+1] == 0x80 && 0x8B <= b[i+2] && b[i+2] <= 0x8D || b[i+1] == 0x81 && b[i+2] == 0xA0 {
			return true
		}
		next := bytes.IndexByte(b[i+1:], 0xE2)
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return bytes.IndexByte(b, fullWidth) >= 0 && bytes.Contains(b, []byte(byteOrderMark))
}

// isInvisible reports whether r, between two other characters, changes nothing.
func isInvisible(r, before, after rune) bool {
	switch r {
	case zeroWidthSpace, wordJoiner, '\uFEFF':
		return true
	case joiner:
		return !unicode.In(before, joining...) && !(isEmoji(before) && isEmoji(after))
	case nonJoiner:
		return !unicode.In(before, joining...)
	}
	return false
}

// isEmoji reports whether r can be a part of an emoji.
func isEmoji(r rune) bool { return r == '\uFE0F' || unicode.In(r, unicode.So, unicode.Sk) }

// dropInvisible leaves characters without a width out of the text, and folds the white
// space around them.
func (t *cueText) dropInvisible() {
	out, marks, before := make([]byte, 0, len(t.out)), t.marks, rune(0)
	for at := 0; at < len(t.out); {
		for ; len(marks) > 0 && marks[0].at <= at; marks = marks[1:] {
			marks[0].at, marks[0].word = len(out), span{}
		}
		r, size := utf8.DecodeRune(t.out[at:])
		after, _ := utf8.DecodeRune(t.out[at+size:])
		at += size
		switch {
		case isInvisible(r, before, after):
			continue
		case r != ' ' && r != '\n':
		case len(out) == 0:
			continue
		case before == ' ' || before == '\n':
			if before == ' ' {
				out[len(out)-1] = byte(r)
				before = r
			}
			continue
		}
		out, before = utf8.AppendRune(out, r), r
	}
	for i := range marks {
		marks[i].at, marks[i].word = len(out), span{}
	}
	t.out = bytes.TrimRight(out, " \n")
	for i := range t.marks {
		t.marks[i].at = min(t.marks[i].at, len(t.out))
	}
}

// visible is the name of a speaker without characters that have no width.
func visible(name []byte) []byte {
	if !hasInvisible(name) {
		return name
	}
	c := cueText{out: name}
	c.dropInvisible()
	return []byte(strings.TrimSpace(string(c.out)))
}
