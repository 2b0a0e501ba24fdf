package openai

import (
	"errors"
	"path"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// mostNameWords is how many words a name has at most. A longer part of a prompt is a sentence.
const mostNameWords = 4

// takesHints reports whether a model takes keywords and a list of languages: the hosted
// gpt-transcribe. The model refuses the fields "language" and "temperature" of the other models.
// A gateway puts the name of the provider before the name of the model.
func takesHints(model string) bool {
	return strings.HasPrefix(path.Base(model), "gpt-transcribe")
}

// hints tell a model which words it will probably hear.
type hints struct {
	keywords  []string
	languages []string // subtags
}

// hintsOf returns the hints of a call: the language, and the names in the prompt. Commas and
// semicolons separate names. The model refuses a request if a keyword has an angle bracket.
func hintsOf(opts engine.RecognizeOptions) (h hints) {
	if opts.Language != "" {
		h.languages = []string{subtag(opts.Language)}
	}
	for part := range strings.FieldsFuncSeq(opts.Prompt, func(c rune) bool { return c == ',' || c == ';' }) {
		words := strings.Fields(part)
		if len(words) > 0 && len(words) <= mostNameWords && !strings.ContainsAny(part, "<>") {
			h.keywords = append(h.keywords, strings.Join(words, " "))
		}
	}
	return h
}

// refused reports whether the endpoint refuses hints, and removes the refused hints. A language
// that the model does not list is not a reason to fail: the model detects the language by
// itself.
func (h *hints) refused(err error) bool {
	var said *refusal
	switch {
	case !errors.As(err, &said) || !said.badRequest():
		return false
	case h.keywords != nil && said.mentions("keyword"):
		h.keywords = nil
		return true
	case h.languages != nil && said.mentions("language"):
		h.languages = nil
		return true
	}
	return false
}
