package letters

import (
	"bytes"
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

// HasInvisible reports whether a text may have characters without a width.
func HasInvisible(b []byte) bool {
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
	return bytes.IndexByte(b, 0xEF) >= 0 && bytes.Contains(b, []byte("\uFEFF"))
}

// isInvisible reports whether r, between two other characters, changes nothing.
func isInvisible(r, before, after rune) bool {
	switch r {
	case zeroWidthSpace, wordJoiner, '\uFEFF':
		return true
	case joiner:
		return !unicode.In(before, joining...) && (!isEmoji(before) || !isEmoji(after))
	case nonJoiner:
		return !unicode.In(before, joining...)
	}
	return false
}

// isEmoji reports whether r can be a part of an emoji.
func isEmoji(r rune) bool { return r == '\uFE0F' || unicode.In(r, unicode.So, unicode.Sk) }

// DropInvisible returns a text without characters that have no width, and with the white
// space around them folded. It calls step before each character of the text, with the
// places of the character in the text and in what it returns.
func DropInvisible(text []byte, step func(at, to int)) []byte {
	out, before := make([]byte, 0, len(text)), rune(0)
	for at := 0; at < len(text); {
		step(at, len(out))
		r, size := utf8.DecodeRune(text[at:])
		after, _ := utf8.DecodeRune(text[at+size:])
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
	return bytes.TrimRight(out, " \n")
}

// Visible returns a name without characters that have no width.
func Visible(name []byte) []byte {
	if !HasInvisible(name) {
		return name
	}
	return bytes.TrimSpace(DropInvisible(name, func(int, int) {}))
}
