// Package oldtext finds the encoding of texts that were written before UTF-8.
package oldtext

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/language"
)

// legacyOf are the encodings in which files in a language were written before
// UTF-8, the most frequent first, by the names of the WHATWG Encoding Standard.
var legacyOf = map[string][]string{
	"ja": {"shift_jis", "euc-jp", "iso-2022-jp"},
	"ko": {"euc-kr"},
	"zh": {"gb18030", "big5"},

	"ru": {"windows-1251", "koi8-u", "iso-8859-5", "ibm866"},
	"uk": {"windows-1251", "koi8-u", "iso-8859-5"},
	"be": {"windows-1251"}, "bg": {"windows-1251"}, "kk": {"windows-1251"}, "mk": {"windows-1251"},
	"mn": {"windows-1251"}, "ky": {"windows-1251"},
	"sr": {"windows-1250", "windows-1251", "iso-8859-2"},

	"pl": {"windows-1250", "iso-8859-2"}, "cs": {"windows-1250", "iso-8859-2"}, "sk": {"windows-1250", "iso-8859-2"},
	"hu": {"windows-1250", "iso-8859-2"}, "sl": {"windows-1250", "iso-8859-2"}, "hr": {"windows-1250", "iso-8859-2"},
	"bs": {"windows-1250", "iso-8859-2"}, "ro": {"windows-1250", "iso-8859-2"}, "sq": {"windows-1250", "windows-1252"},

	"el": {"windows-1253", "iso-8859-7"},
	"tr": {"windows-1254"}, "az": {"windows-1254"},
	"he": {"windows-1255", "iso-8859-8"}, "yi": {"windows-1255"},
	"ar": {"windows-1256", "iso-8859-6"}, "fa": {"windows-1256"}, "ur": {"windows-1256"},
	"et": {"windows-1257"}, "lv": {"windows-1257"}, "lt": {"windows-1257"},
	"vi": {"windows-1258"},
	"th": {"windows-874"},
}

// western are the languages whose old encoding is Windows-1252.
var western = strings.Fields("en de fr es pt it nl sv da no nb nn fi is ca gl eu af ga id ms sw fil")

// Encoding takes a guess from a confidence of sureEnough on, of 100, and believes in
// characters of several bytes from sureOfWide on. For a file of fewer than enoughLines
// lines, the guess must be sure. A sure guess goes before the encoding of the language,
// because the caller may name a wrong language.
const (
	sureEnough  = 20
	sureOfWide  = 90
	sure        = 100
	enoughLines = 3
)

// Encoding finds the encoding of text that is not UTF-8, by its language,
// where that is known, and by how often which bytes come. sample are lines
// with bytes beyond ASCII. ok is false when nothing is likely.
func Encoding(sample []byte, lang string) (e encoding.Encoding, ok bool) {
	if e, ok := southSlavic(sample); ok {
		return e, true
	}
	guesses, _ := chardet.NewTextDetector().DetectAll(sample) // an error is that there are none
	candidates := legacyByLanguage(lang)
	slices.SortFunc(guesses, func(a, b chardet.Result) int { // equal ones come in any order
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(rank(candidates, a), rank(candidates, b)), cmp.Compare(a.Charset, b.Charset))
	})
	few := bytes.Count(sample, []byte("\n")) < enoughLines
	for _, guess := range guesses { // the likeliest first
		name := canonicalEncoding(guess.Charset)
		e, ok := decodes(name, sample)
		switch {
		case !ok:
		case guess.Confidence >= sure, slices.Contains(candidates, name):
			return e, true
		case len(candidates) == 0 && !few && guess.Confidence >= leastFor(e):
			return e, true
		}
	}
	for _, name := range candidates {
		if e, ok := decodes(name, sample); ok {
			return e, true
		}
	}
	if len(candidates) > 0 { // the language is wrong, or the text is not in it
		return Encoding(sample, "")
	}
	return nil, false
}

// leastFor is the least confidence with which an encoding is taken.
func leastFor(e encoding.Encoding) int {
	if IsWide(e) {
		return sureOfWide
	}
	return sureEnough
}

// rank returns how frequent an encoding is among those of a language, 0 being the most
// frequent.
func rank(candidates []string, guess chardet.Result) int {
	if i := slices.Index(candidates, canonicalEncoding(guess.Charset)); i >= 0 {
		return i
	}
	return len(candidates)
}

// legacyByLanguage returns the encodings of a language by its tag; none when it
// is not known.
func legacyByLanguage(lang string) []string {
	tag, err := language.Parse(lang)
	if err != nil {
		return nil
	}
	base, _ := tag.Base()
	if slices.Contains(western, base.String()) {
		return []string{"windows-1252"}
	}
	names := legacyOf[base.String()]
	script, trust := tag.Script()
	switch {
	case base.String() == "zh" && script.String() == "Hant" && trust > language.Low:
		return []string{"big5", "gb18030"}
	case base.String() == "sr" && script.String() == "Cyrl" && strings.Contains(lang, "Cyrl"):
		return []string{"windows-1251"}
	}
	return names
}

// canonicalEncoding returns the name in the WHATWG Encoding Standard for a name of the
// detector. The standard reads an old encoding as the encoding of Windows that extends
// it.
func canonicalEncoding(charset string) string {
	switch charset {
	case "ISO-8859-8-I", "ISO-8859-8":
		return "windows-1255"
	case "GB-18030":
		return "gb18030"
	case "KOI8-R":
		return "koi8-u" // the same, with Ukrainian letters instead of some frames
	}
	e, err := htmlindex.Get(charset)
	if err != nil {
		return ""
	}
	name, err := htmlindex.Name(e)
	if err != nil {
		return ""
	}
	return name
}

// decodes returns the encoding of a name when the sample can be text in it.
func decodes(name string, sample []byte) (encoding.Encoding, bool) {
	e, err := htmlindex.Get(name)
	if err != nil || name == "utf-8" || strings.HasPrefix(name, "utf-16") {
		return nil, false
	}
	text, err := e.NewDecoder().Bytes(sample)
	if err != nil {
		return nil, false
	}
	return e, isLikely(text)
}

// isLikely reports whether a person may have written the text. A text in a wrong
// encoding has broken characters, control characters, many symbols, words of several
// scripts, or Latin words with few ASCII letters.
func isLikely(text []byte) bool {
	var wrong, symbols, ascii, latin, other, mixed int
	before := ' '
	for _, r := range string(text) {
		switch {
		case r == utf8.RuneError, 0x80 <= r && r < 0xA0:
			wrong++
		case isLetterOfASCII(r):
			ascii++
		case r < utf8.RuneSelf:
		case isFrame(r), r <= unicode.MaxLatin1 && unicode.IsSymbol(r):
			symbols++
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r), unicode.IsMark(r):
			other++
		}
		if isLetterOfASCII(before) && isLetterOfOther(r) || isLetterOfOther(before) && isLetterOfASCII(r) {
			mixed++
		}
		before = r
	}
	return wrong*50 <= utf8.RuneCount(text) && symbols <= 1+(latin+other)/6 &&
		latin <= enoughLines+ascii && mixed*2 <= other
}

func isLetterOfASCII(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }

// isFrame reports the lines and blocks with which old programs drew frames.
func isFrame(r rune) bool { return 0x2500 <= r && r < 0x25A0 }

// isLetterOfOther reports the letters of other scripts than the Latin one.
func isLetterOfOther(r rune) bool {
	return r >= utf8.RuneSelf && unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r)
}

// IsWide reports the encodings in which a character has several bytes: a line in
// one of them may happen to be UTF-8, too.
func IsWide(e encoding.Encoding) bool {
	_, single := e.(*charmap.Charmap)
	return !single
}

// IsWestern reports whether lines can be in Windows-1252: most letters of its languages
// are ASCII.
func IsWestern(lines []byte) bool {
	ascii, others := 0, 0
	for _, c := range lines {
		switch {
		case c >= utf8.RuneSelf:
			others++
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			ascii++
		}
	}
	return others <= ascii+enoughLines
}
