package oldtext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// slavicLetters are the letters beyond ASCII of Serbo-Croatian and Slovenian.
const slavicLetters = "čćžšđČĆŽŠĐ"

// southSlavic returns the encoding in which a sample is Serbo-Croatian or Slovenian, if it
// is one of these. The detector has no statistics of these languages and takes them for
// Italian or Turkish. They are told by their letters: there are few, and read as
// Windows-1252 they are letters, or signs, that no language has together (è, æ, ð, š, ž).
func southSlavic(sample []byte) (e encoding.Encoding, ok bool) {
	for _, e := range []*charmap.Charmap{charmap.Windows1250, charmap.ISO8859_2} {
		if isSouthSlavic(sample, e) {
			return e, true
		}
	}
	return nil, false
}

// isSouthSlavic reports whether nearly all letters beyond ASCII are those of the
// languages, enough of them to tell, and š or ž among them, in which the encodings differ.
func isSouthSlavic(sample []byte, e *charmap.Charmap) bool {
	const enough, several = 5, 3
	letters, count, own := 0, 0, map[rune]int{}
	for _, c := range sample {
		if c < utf8.RuneSelf {
			continue
		}
		r := e.DecodeByte(c)
		switch {
		case strings.ContainsRune(slavicLetters, r):
			own[unicode.ToLower(r)]++
			count++
			letters++
		case unicode.IsLetter(r), unicode.IsControl(r):
			letters++
		}
	}
	return count >= enough && len(own) >= several && count*10 >= letters*9 && own['š']+own['ž'] > 0
}
