package subject

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// PromptSum returns the stored form of a prompt, which is stored with the recognized
// text; "" means none.
func PromptSum(prompt string) string {
	if prompt == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:])
}

// HeardSum is PromptSum followed by the way of listening, unless it is the usual one.
func HeardSum(prompt string, l transcript.Listening) string {
	if l == (transcript.Listening{}) {
		return PromptSum(prompt)
	}
	return PromptSum(prompt) + listeningText(l)
}

// HeardAs reports whether a text with a sum was recognized in a way of listening, with any
// prompt.
func HeardAs(sum string, l transcript.Listening) bool {
	at := strings.IndexByte(sum, '{')
	if at < 0 {
		return l == (transcript.Listening{})
	}
	return sum[at:] == listeningText(l)
}

// listeningText is a way of listening as text: equal ways have equal texts.
func listeningText(l transcript.Listening) string {
	b, _ := json.Marshal(l) // strings, a number and a boolean: it cannot fail
	return string(b)
}
