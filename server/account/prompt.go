package account

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPrompt is the length of the longest prompt, in characters. Whisper models use only
// the last 224 tokens of a prompt: about 800 letters of English, and fewer in other
// scripts.
const MaxPrompt = 800

// promptToSet returns the prompt of settings in its stored form, in one line; nil changes
// nothing. Its errors do not show the prompt.
func promptToSet(s Settings) (*string, error) {
	if s.Prompt == nil {
		return nil, nil //nolint:nilnil // nothing is to be changed
	}
	if !utf8.ValidString(*s.Prompt) {
		return nil, errors.New("account: the prompt is not UTF-8")
	}
	line := strings.Join(strings.Fields(*s.Prompt), " ")
	if i := strings.IndexFunc(line, unicode.IsControl); i >= 0 {
		return nil, fmt.Errorf("account: character %d of the prompt is a control character", utf8.RuneCountInString(line[:i])+1)
	}
	if n := utf8.RuneCountInString(line); n > MaxPrompt {
		return nil, fmt.Errorf("account: the prompt has %d characters, more than %d: shorten it", n, MaxPrompt)
	}
	return &line, nil
}
