package chunk

import (
	"unicode"
	"unicode/utf8"
)

// sentence returns the size of the first sentence of a text, including the spaces after it,
// by the rules of Unicode (UAX 29). The text has no line breaks. It takes time proportional
// to the length of the sentence and of the marks that follow.
func sentence(text []byte) int {
	before := other // the kind of the previous character
	for at := 0; at < len(text); {
		if c := text[at]; c < utf8.RuneSelf && !mayEnd[c] {
			before, at = ascii[c], at+1
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
		kind := kindOf(r)
		at += size
		switch {
		case kind == stop, kind == end:
			next, ends := afterStop(text, at, kind, before)
			if ends {
				return next
			}
			before, at = other, next
		case kind != attached:
			before = kind
		}
	}
	return len(text)
}

// afterStop looks at the text after a stop. It returns where the next sentence begins, or
// where to continue if the sentence has not ended. before is the kind of the character
// before the stop.
func afterStop(text []byte, at int, stops, before kind) (next int, ends bool) {
	bare, closes := true, true // nothing has followed yet; brackets and quotes may follow
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		kind := kindOf(r)
		switch {
		case kind == attached:
		case kind == stop, kind == end, kind == goesOn:
			return at, false
		case bare && stops == stop && (kind == digit || kind == upper && (before == upper || before == lower)):
			return at, false // 3.14, U.S.
		case kind == blank:
			bare, closes = false, false
		case kind == closing && closes:
			bare = false
		case stops == end:
			return at, true
		default:
			return afterDot(text, at)
		}
		at += size
	}
	return len(text), true
}

// afterDot distinguishes a dot that ends a sentence from other dots: after such another
// dot, the first letter is lower case.
func afterDot(text []byte, begins int) (next int, ends bool) {
	for at := begins; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		switch kindOf(r) {
		case lower:
			return at, false
		case upper, letter, stop, end:
			return begins, true
		}
		at += size
	}
	return begins, true
}

// kind is the role of a character when the ends of sentences are found.
type kind byte

const (
	other    kind = iota
	attached      // belongs to the previous character: marks, and formatting characters
	lower
	upper
	letter // of neither case
	digit
	blank
	stop    // a dot, which does not always end a sentence
	end     // a character that always ends a sentence
	closing // brackets, quotes
	goesOn  // a comma or a similar character
)

// ascii are the kinds of the ASCII characters.
var ascii = func() (kinds [utf8.RuneSelf]kind) {
	for c := range kinds {
		kinds[c] = kindOfAny(rune(c))
	}
	return kinds
}()

// mayEnd are the ASCII bytes that end sentences.
var mayEnd = [utf8.RuneSelf]bool{'.': true, '!': true, '?': true}

func kindOf(r rune) kind {
	if r < utf8.RuneSelf {
		return ascii[r]
	}
	return kindOfAny(r)
}

func kindOfAny(r rune) kind {
	switch r {
	case '.', '\u2024', '\uFE52', '\uFF0E':
		return stop
	case ',', '-', ':', '\u055D', '\u060C', '\u060D', '\u07F8', '\u1802', '\u1808', '\u2013', '\u2014', '\u3001',
		'\uFE10', '\uFE11', '\uFE13', '\uFE31', '\uFE32', '\uFE50', '\uFE51', '\uFE55', '\uFE58', '\uFE63',
		'\uFF0C', '\uFF0D', '\uFF1A', '\uFF64':
		return goesOn
	case '\u05F3', '\u00A0':
		return letter
	case '\u066B', '\u066C':
		return digit
	}
	switch {
	case isIdeograph(r), 0x10D0 <= r && r < 0x1100 && unicode.IsLetter(r): // Georgian letters count as neither upper nor lower case
		return letter
	case unicode.IsLetter(r):
		return kindOfLetter(r)
	case unicode.In(r, unicode.M, unicode.Cf, unicode.Other_Grapheme_Extend):
		return attached
	case unicode.Is(unicode.Other_Uppercase, r):
		return upper
	case unicode.Is(unicode.Other_Lowercase, r):
		return lower
	case unicode.In(r, unicode.Nl, unicode.Other_Alphabetic):
		return letter
	case unicode.Is(unicode.Nd, r):
		return digit
	case unicode.Is(unicode.STerm, r):
		return end
	case unicode.IsSpace(r):
		return blank
	case unicode.In(r, unicode.Ps, unicode.Pe, unicode.Pi, unicode.Pf, unicode.Quotation_Mark),
		0x275B <= r && r <= 0x2760, 0x1F676 <= r && r <= 0x1F678:
		return closing
	}
	return other
}

func kindOfLetter(r rune) kind {
	switch {
	case unicode.In(r, unicode.Ll, unicode.Other_Lowercase):
		return lower
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper
	case unicode.Is(unicode.Other_Grapheme_Extend, r):
		return attached
	}
	return letter
}

// isIdeograph recognizes most letters of scripts with many letters, without a table.
func isIdeograph(r rune) bool {
	return 0x4E00 <= r && r < 0xA000 || 0xAC00 <= r && r < 0xD7A4 || 0x3041 <= r && r < 0x3097 || 0x30A1 <= r && r < 0x30FB
}
