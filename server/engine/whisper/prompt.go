package whisper

import (
	"errors"
	"strconv"
)

// A model reads a prompt as the speech before the audio. The prompt occupies a part of the
// context: the tokens that guide recognition.

const (
	// mostContext is how many tokens of context guide a model; if the context is longer, the
	// last ones count.
	mostContext = 224
	// carryPrompt keeps the prompt in the context for every half minute of the audio, not only
	// for the first.
	carryPrompt = "--carry-initial-prompt"
)

// errForgets reports that the program does not know carryPrompt.
var errForgets = errors.New("whisper: the program cannot carry a prompt on")

// spoken returns a prompt with a leading space, as if it continued a text: the models were
// trained on such text, and the argument can then be neither an option nor a file name. An
// empty prompt stays empty.
func spoken(prompt string) string {
	if prompt == "" {
		return ""
	}
	return " " + prompt
}

// contextFor returns how many tokens of context the program may use. Without a prompt it is 0,
// so that heard text does not guide later text. With a prompt it suffices for the prompt and
// little more: a token has at least one byte.
func contextFor(prompt string) string {
	if prompt == "" {
		return "0"
	}
	return strconv.Itoa(min(len(spoken(prompt))+1, mostContext))
}
