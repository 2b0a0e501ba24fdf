package search

import (
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// maxWord limits the stored part of a word, in bytes. Longer words with the same stored part
// count as one word.
const maxWord = 128

// Words returns the folded words of a text, in order and without punctuation. It follows the
// word boundaries of UAX 29, but also splits at punctuation inside a word: l'homme and 3.14 are
// two words each. A search for 3.14 still finds 3.14, because the query becomes a phrase. A
// search for a part finds it too.
//
// In a script without spaces every character is a word, because nothing marks the end of a
// word: Han, Hiragana and Katakana, Thai, Lao, Khmer, Myanmar and others. Hangul has spaces and
// therefore words. An emoji is a word. Other signs are not.
func Words(text string) (words []string) {
	s := splitter{emit: func(word []byte, _, _ int) { words = append(words, string(word)) }}
	s.add(Fold(text), 0, len(text))
	s.flush()
	return words
}

// span is a word with its bounds in the text, in bytes.
type span struct {
	word     string
	from, to int
}

// spans returns the words of a text with their bounds. Each bound is between grapheme clusters.
func spans(text string) (all []span) {
	s := splitter{emit: func(word []byte, from, to int) { all = append(all, span{string(word), from, to}) }}
	for rest, state, from := text, -1, 0; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		s.add(Fold(cluster), from, from+len(cluster))
		from += len(cluster)
	}
	s.flush()
	return all
}

// splitter splits folded text into words. The text arrives in pieces.
type splitter struct {
	emit     func(word []byte, from, to int)
	word     []byte // the current word
	from, to int
}

// add takes the next folded piece, which corresponds to the bytes from..to of the text.
func (s *splitter) add(folded string, from, to int) {
	for i := 0; i < len(folded); {
		r, size := rune(folded[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(folded[i:])
		}
		switch classOf(r) {
		case between:
			s.flush()
		case alone:
			s.flush()
			s.emit([]byte(folded[i:i+size]), from, to)
		case inWord:
			if len(s.word) == 0 {
				s.from = from
			}
			s.to = to
			if len(s.word)+size <= maxWord {
				s.word = append(s.word, folded[i:i+size]...)
			}
		case within:
		}
		i += size
	}
}

// flush ends the current word.
func (s *splitter) flush() {
	if len(s.word) > 0 {
		s.emit(s.word, s.from, s.to)
		s.word = s.word[:0]
	}
}

// class is the role of a character in words.
type class int

const (
	between class = iota // separates words
	inWord               // is part of a word
	alone                // is a word by itself
	within               // is ignored, and does not end a word
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return inWord
		}
		return between
	case unicode.In(r, unicode.L, unicode.N, unicode.Mc):
		if r == prolonged || r >= firstSpaceless && unicode.In(r, spaceless...) {
			return alone
		}
		return inWord
	case unicode.Is(unicode.So, r) && pictograph(r):
		return alone
	case unicode.Is(unicode.Cf, r) && r != zeroWidthSpace: // joiners, soft hyphens, marks of direction
		return within
	default:
		return between
	}
}

const (
	prolonged      = 'ー' // the sound mark of Katakana, to which Unicode assigns no script
	zeroWidthSpace = '\u200B'
	firstSpaceless = '\u0E00' // the first code point of the scripts in spaceless
)

// spaceless lists scripts without spaces between words.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Javanese, unicode.Balinese,
}

// WritesNoSpace reports whether two texts, one after the other, have no space between them, because both
// are in a script without spaces where they meet.
func WritesNoSpace(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return spacesNot(last) && spacesNot(first)
}

func spacesNot(r rune) bool {
	return r == prolonged || unicode.In(r, spaceless...) || r >= 0x3001 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF60 // and the wide punctuation
}

// pictograph reports whether a sign is an emoji or a similar picture. The notes that mark music
// in captions have no meaning as words and only separate them.
func pictograph(r rune) bool {
	return r >= 0x2300 && (r < '♩' || r > '♬') && (r < 0xFFF0 || r > 0xFFFF)
}
