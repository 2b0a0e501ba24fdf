package search

import (
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// maxWord bounds the stored part of a word, in bytes: longer words with the same
// beginning count as the same word.
const maxWord = 128

// Words are the words of a text, folded, in order: what the word boundaries of UAX 29
// leave between them, without punctuation. A word with punctuation inside, as l'homme or
// 3.14, is as many words as it has parts: it is found as a whole, being searched as a
// phrase, and by its parts.
//
// In scripts that are written without spaces every character is a word, as nothing
// says where one ends: Han, Hiragana and Katakana, Thai, Lao, Khmer, Myanmar and the
// like. Hangul has spaces, and words. Emoji are words; signs of other kinds are none.
func Words(text string) (words []string) {
	s := splitter{emit: func(word []byte, _, _ int) { words = append(words, string(word)) }}
	s.add(Fold(text), 0, len(text))
	s.flush()
	return words
}

// span is a word with the bytes of the text that it stands for.
type span struct {
	word     string
	from, to int
}

// spans are the words of a text with their places in it, which are at the boundaries of
// grapheme clusters.
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

// splitter takes folded text, in pieces, apart into words.
type splitter struct {
	emit     func(word []byte, from, to int)
	word     []byte // the one that has begun
	from, to int
}

// add goes on with a folded piece, which stands for the bytes from..to.
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

// flush ends the word that has begun.
func (s *splitter) flush() {
	if len(s.word) > 0 {
		s.emit(s.word, s.from, s.to)
		s.word = s.word[:0]
	}
}

// class says what a character is to words.
type class int

const (
	between class = iota // parts words
	inWord               // is part of one
	alone                // is one
	within               // is not seen
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
	prolonged      = 'ー' // the sound mark of Katakana, which Unicode counts to no script
	zeroWidthSpace = '\u200B'
	firstSpaceless = '\u0E00' // of the scripts below
)

// spaceless are the scripts that are written without spaces between words.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Javanese, unicode.Balinese,
}

// pictograph reports whether a sign is an emoji or the like. The notes by which captions
// mark music stand between words and mean nothing there.
func pictograph(r rune) bool {
	return r >= 0x2300 && (r < '♩' || r > '♬') && (r < 0xFFF0 || r > 0xFFFF)
}
