// Package whispermodel has the shared parts of the adapters to Whisper's models: the
// languages that the models recognize, with their codes, language tags and names, the
// correction of segment times, and how to check a server and send it a recording.
package whispermodel

import "strings"

// known is a language with its code and its name. The code is a language tag, except for the
// codes that Tag translates.
type known struct{ code, name string }

var languages = [...]known{
	{"en", "english"}, {"zh", "chinese"}, {"de", "german"}, {"es", "spanish"}, {"ru", "russian"},
	{"ko", "korean"}, {"fr", "french"}, {"ja", "japanese"}, {"pt", "portuguese"}, {"tr", "turkish"},
	{"pl", "polish"}, {"ca", "catalan"}, {"nl", "dutch"}, {"ar", "arabic"}, {"sv", "swedish"},
	{"it", "italian"}, {"id", "indonesian"}, {"hi", "hindi"}, {"fi", "finnish"}, {"vi", "vietnamese"},
	{"he", "hebrew"}, {"uk", "ukrainian"}, {"el", "greek"}, {"ms", "malay"}, {"cs", "czech"},
	{"ro", "romanian"}, {"da", "danish"}, {"hu", "hungarian"}, {"ta", "tamil"}, {"no", "norwegian"},
	{"th", "thai"}, {"ur", "urdu"}, {"hr", "croatian"}, {"bg", "bulgarian"}, {"lt", "lithuanian"},
	{"la", "latin"}, {"mi", "maori"}, {"ml", "malayalam"}, {"cy", "welsh"}, {"sk", "slovak"}, {"te", "telugu"},
	{"fa", "persian"}, {"lv", "latvian"}, {"bn", "bengali"}, {"sr", "serbian"}, {"az", "azerbaijani"},
	{"sl", "slovenian"}, {"kn", "kannada"}, {"et", "estonian"}, {"mk", "macedonian"}, {"br", "breton"},
	{"eu", "basque"}, {"is", "icelandic"}, {"hy", "armenian"}, {"ne", "nepali"}, {"mn", "mongolian"},
	{"bs", "bosnian"}, {"kk", "kazakh"}, {"sq", "albanian"}, {"sw", "swahili"}, {"gl", "galician"},
	{"mr", "marathi"}, {"pa", "punjabi"}, {"si", "sinhala"}, {"km", "khmer"}, {"sn", "shona"}, {"yo", "yoruba"},
	{"so", "somali"}, {"af", "afrikaans"}, {"oc", "occitan"}, {"ka", "georgian"}, {"be", "belarusian"},
	{"tg", "tajik"}, {"sd", "sindhi"}, {"gu", "gujarati"}, {"am", "amharic"}, {"yi", "yiddish"}, {"lo", "lao"},
	{"uz", "uzbek"}, {"fo", "faroese"}, {"ht", "haitian creole"}, {"ps", "pashto"}, {"tk", "turkmen"},
	{"nn", "nynorsk"}, {"mt", "maltese"}, {"sa", "sanskrit"}, {"lb", "luxembourgish"}, {"my", "myanmar"},
	{"bo", "tibetan"}, {"tl", "tagalog"}, {"mg", "malagasy"}, {"as", "assamese"}, {"tt", "tatar"},
	{"haw", "hawaiian"}, {"ln", "lingala"}, {"ha", "hausa"}, {"ba", "bashkir"}, {"jw", "javanese"},
	{"su", "sundanese"}, {"yue", "cantonese"},
}

// synonyms are further names that whisper's descendants use.
var synonyms = [...]known{
	{"my", "burmese"}, {"ca", "valencian"}, {"nl", "flemish"}, {"ht", "haitian"}, {"lb", "letzeburgesch"},
	{"ps", "pushto"}, {"pa", "panjabi"}, {"ro", "moldavian"}, {"ro", "moldovan"}, {"si", "sinhalese"},
	{"es", "castilian"}, {"zh", "mandarin"},
}

// alias is a language tag whose language has another code.
type alias struct{ tag, code string }

var aliases = [...]alias{
	{"jv", "jw"}, {"nb", "no"}, {"fil", "tl"}, {"cmn", "zh"}, {"iw", "he"}, {"in", "id"}, {"ji", "yi"},
}

// Tags lists the language tags that a caller of a multilingual model can ask for.
func Tags() []string {
	out := make([]string, 0, len(languages)+len(aliases))
	for _, l := range languages {
		out = append(out, Tag(l.code))
	}
	for _, a := range aliases[1:] { // Tag already gives the first one
		out = append(out, a.tag)
	}
	return out
}

// Code returns the code for a language tag: "en" for "en-GB". ok is false for a language that
// no model knows.
func Code(tag string) (code string, ok bool) {
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	for _, a := range aliases {
		if a.tag == primary {
			return a.code, true
		}
	}
	for _, l := range languages {
		if l.code == primary {
			return l.code, true
		}
	}
	return "", false
}

// CodeNamed returns the code of a language, given its code or its English name; empty if there
// is none.
func CodeNamed(name string) string {
	name = strings.ToLower(name)
	for _, l := range languages {
		if l.name == name || l.code == name {
			return l.code
		}
	}
	for _, l := range synonyms {
		if l.name == name {
			return l.code
		}
	}
	return ""
}

// Tag returns the language tag of a code; empty for an empty code.
func Tag(code string) string {
	if code == "jw" {
		return "jv"
	}
	return code
}

// Unspaced reports whether a language is written without spaces between words.
func Unspaced(code string) bool {
	switch code {
	case "zh", "yue", "ja", "th", "lo", "my", "km", "bo":
		return true
	}
	return false
}
