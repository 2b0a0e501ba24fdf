package whisper

import (
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// spoken is a language that whisper knows: by its code, which is a language tag
// but for those of tagOf, and by the name that its server answers with.
type spoken struct{ code, name string }

var languages = [...]spoken{
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

// alias is a tag for a language that whisper knows by another code.
type alias struct{ tag, code string }

var aliases = [...]alias{
	{"jv", "jw"}, {"nb", "no"}, {"fil", "tl"}, {"cmn", "zh"}, {"iw", "he"}, {"in", "id"}, {"ji", "yi"},
}

// tags lists the language tags that a multilingual model can be asked for.
func tags() []string {
	out := make([]string, 0, len(languages)+len(aliases))
	for _, l := range languages {
		out = append(out, tagOf(l.code))
	}
	for _, a := range aliases[1:] { // the first one is the tag of a code
		out = append(out, a.tag)
	}
	return out
}

// codeOf is whisper's code for a language tag: "en" for "en-GB".
func codeOf(tag string) (string, bool) {
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

// codeNamed is the code of a language that is given by its code or its name;
// empty when there is none.
func codeNamed(name string) string {
	name = strings.ToLower(name)
	for _, l := range languages {
		if l.name == name || l.code == name {
			return l.code
		}
	}
	return ""
}

// tagOf is the language tag of a code; empty for none.
func tagOf(code string) string {
	if code == "jw" {
		return "jv"
	}
	return code
}

// unspaced reports whether a language is written without spaces between words.
func unspaced(code string) bool {
	switch code {
	case "zh", "yue", "ja", "th", "lo", "my", "km", "bo":
		return true
	}
	return false
}

// unknownLanguage refuses a language.
func unknownLanguage(engine, tag string) *transcript.Error {
	return transcript.Errorf(transcript.NotImplemented, "%s does not recognize the language %q.", engine, tag).
		With("language", tag).With("engine", engine)
}
