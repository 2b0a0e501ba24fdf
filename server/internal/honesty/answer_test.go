package honesty_test

import (
	"errors"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// answer is what a reader answers.
type answer struct {
	claim claim
	cues  []string // with the claim text
	words string   // the reader's own words, with another claim
	quiet bool     // the reader ends like a success, and only a warning has the words
}

// ofError makes an answer of this service's error.
func ofError(err error) answer {
	var e *transcript.Error
	if !errors.As(err, &e) {
		return answer{claim: "no code", words: err.Error()}
	}
	return answer{claim: claim(e.Code), words: e.Message}
}

// judge tells in a few words what an answer is worth. An answer that is right begins with the
// claim, or with "text".
func (r row) judge(a answer, ours bool) (words string, ok bool) {
	lines := sitetest.Texts()["en"]
	switch {
	case a.claim == text && slices.Equal(a.cues, lines) && (r.right.claim == text || r.orText):
		return "text", true
	case a.claim == text && len(strings.TrimSpace(strings.Join(a.cues, ""))) == 0:
		return "**an empty text**", false
	case a.claim == text && len(a.cues) < len(lines) && slices.Equal(a.cues, lines[:len(a.cues)]):
		return "**half the text**", false
	case a.claim == text:
		return "**a wrong text**", false
	case a.claim == hangs:
		return "**hangs**", false
	case a.claim != r.right.claim && a.claim == none:
		return "**says none**", false
	case a.claim != r.right.claim && a.claim == fault:
		return "no reason", false
	case a.claim != r.right.claim:
		return "wrong reason: " + string(a.claim), false
	case a.quiet && a.claim != none:
		return "a warning: " + string(a.claim), false
	case ours && !strings.Contains(a.words, r.right.says):
		return "wrong words: " + a.words, false
	}
	return string(a.claim), true
}
