package openai

import (
	"strings"

	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
)

// subtag is a tag's language as the endpoints want it: ISO 639, by the names that
// whisper has for those of them that go by two.
func subtag(tag string) string {
	if code, ok := whispermodel.Code(tag); ok {
		return whispermodel.Tag(code)
	}
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	return primary
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
	if code := whispermodel.CodeNamed(s); code != "" {
		return whispermodel.Tag(code)
	}
	tag, err := language.Parse(s)
	if err != nil || tag == language.Und {
		return ""
	}
	return tag.String()
}
