package whisper

import (
	"errors"
	"strconv"
)

// A model reads a prompt as what was said before the audio. It takes its place in the
// context, the tokens that guide what is heard.

const (
	// mostContext is how many tokens of context guide a model; of more, the last ones.
	mostContext = 224
	// carryPrompt keeps the prompt in the context for every half minute of the audio,
	// and not for the first alone.
	carryPrompt = "--carry-initial-prompt"
)

// errForgets says that the program does not know carryPrompt.
var errForgets = errors.New("whisper: the program cannot carry a prompt on")

// spoken is a prompt as text follows text, with a space: this is how the models know
// it, and how an argument can be neither an option nor a file's name. Without a
// prompt it is empty.
func spoken(prompt string) string {
	if prompt == "" {
		return ""
	}
	return " " + prompt
}

// contextFor is how many tokens of context there may be: none without a prompt, as what
// was heard does not guide what is heard next, and else enough for the prompt and little
// more. A token is at least one byte.
func contextFor(prompt string) string {
	if prompt == "" {
		return "0"
	}
	return strconv.Itoa(min(len(spoken(prompt))+1, mostContext))
}
