package openai

import (
	"strings"

	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
)

// subtag returns a tag's primary language, as endpoints expect it: an ISO 639 code. If a
// language has two codes, it is the one that whisper uses.
func subtag(tag string) string {
	if code, ok := whispermodel.Code(tag); ok {
		return whispermodel.Tag(code)
	}
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	return primary
}

// heardLanguage returns the tag of the heard language. Endpoints know no regions: if the
// endpoint names the requested language or no language, the result is the requested tag.
func heardLanguage(said, asked string) string {
	heard := tagOf(said)
	if heard == "" || asked != "" && subtag(heard) == subtag(asked) {
		return asked
	}
	return heard
}

// tagOf returns the tag of a language, given its tag or its English name; empty for any other
// text.
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
