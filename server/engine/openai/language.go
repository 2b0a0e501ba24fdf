package openai

import (
	"strings"

	"golang.org/x/text/language"
)

// subtag is a tag's language as the endpoints want it: ISO 639, by the names that
// whisper has for those of them that go by two.
func subtag(tag string) string {
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	switch primary {
	case "nb":
		return "no"
	case "fil":
		return "tl"
	case "cmn":
		return "zh"
	}
	return primary
}

// tags are the languages' tags by the names that whisper has for them. Where it
// knows several names, its answers have the first one only; its descendants know
// them all.
var tags = map[string]string{
	"english": "en", "chinese": "zh", "german": "de", "spanish": "es", "russian": "ru", "korean": "ko",
	"french": "fr", "japanese": "ja", "portuguese": "pt", "turkish": "tr", "polish": "pl", "catalan": "ca",
	"dutch": "nl", "arabic": "ar", "swedish": "sv", "italian": "it", "indonesian": "id", "hindi": "hi",
	"finnish": "fi", "vietnamese": "vi", "hebrew": "he", "ukrainian": "uk", "greek": "el", "malay": "ms",
	"czech": "cs", "romanian": "ro", "danish": "da", "hungarian": "hu", "tamil": "ta", "norwegian": "no",
	"thai": "th", "urdu": "ur", "croatian": "hr", "bulgarian": "bg", "lithuanian": "lt", "latin": "la",
	"maori": "mi", "malayalam": "ml", "welsh": "cy", "slovak": "sk", "telugu": "te", "persian": "fa",
	"latvian": "lv", "bengali": "bn", "serbian": "sr", "azerbaijani": "az", "slovenian": "sl", "kannada": "kn",
	"estonian": "et", "macedonian": "mk", "breton": "br", "basque": "eu", "icelandic": "is", "armenian": "hy",
	"nepali": "ne", "mongolian": "mn", "bosnian": "bs", "kazakh": "kk", "albanian": "sq", "swahili": "sw",
	"galician": "gl", "marathi": "mr", "punjabi": "pa", "sinhala": "si", "khmer": "km", "shona": "sn",
	"yoruba": "yo", "somali": "so", "afrikaans": "af", "occitan": "oc", "georgian": "ka", "belarusian": "be",
	"tajik": "tg", "sindhi": "sd", "gujarati": "gu", "amharic": "am", "yiddish": "yi", "lao": "lo",
	"uzbek": "uz", "faroese": "fo", "haitian creole": "ht", "pashto": "ps", "turkmen": "tk", "nynorsk": "nn",
	"maltese": "mt", "sanskrit": "sa", "luxembourgish": "lb", "myanmar": "my", "tibetan": "bo", "tagalog": "tl",
	"malagasy": "mg", "assamese": "as", "tatar": "tt", "hawaiian": "haw", "lingala": "ln", "hausa": "ha",
	"bashkir": "ba", "javanese": "jv", "sundanese": "su", "cantonese": "yue",

	"burmese": "my", "valencian": "ca", "flemish": "nl", "haitian": "ht", "letzeburgesch": "lb", "pushto": "ps",
	"panjabi": "pa", "moldavian": "ro", "moldovan": "ro", "sinhalese": "si", "castilian": "es", "mandarin": "zh",
	"jw": "jv", // its code, which is no tag
}

// heardLanguage is the tag of what was heard. The endpoint knows no regions: where
// it names the language that was asked for, and where it names none, that is the
// tag that was asked for.
func heardLanguage(said, asked string) string {
	heard := tagOf(said)
	if heard == "" || asked != "" && subtag(heard) == subtag(asked) {
		return asked
	}
	return heard
}

// tagOf is the tag of a language that is given by its tag or its English name;
// empty for what is neither.
func tagOf(s string) string {
	s = strings.TrimSpace(s)
	if tag, ok := tags[strings.ToLower(s)]; ok {
		return tag
	}
	tag, err := language.Parse(s)
	if err != nil || tag == language.Und {
		return ""
	}
	return tag.String()
}
