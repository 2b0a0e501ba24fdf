package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/retryafter"
)

const (
	maxWords = 300            // of a server's own message, in characters
	maxPause = 24 * time.Hour // the longest pause that a server may ask for
)

// refusal is an answer with a status other than 200. Its body may be anything.
type refusal struct {
	status     int
	retryAfter time.Duration // 0 if not given
	body       []byte        // the first 64 KiB
}

func readRefusal(resp *http.Response) *refusal {
	// The status tells more about the error than a truncated body.
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	pause, _ := retryafter.Parse(resp.Header, maxPause) // 0 if the header names no time
	return &refusal{resp.StatusCode, pause, body}
}

// Error returns the status and the server's message in one line. The message may hold secrets.
func (r *refusal) Error() string {
	status := fmt.Sprintf("openai: status %d %s", r.status, http.StatusText(r.status))
	if words := r.words(); words != "" {
		return status + ": " + words
	}
	return status
}

// badRequest reports whether the server understood the request but rejects it in this form.
func (r *refusal) badRequest() bool {
	return r.status == http.StatusBadRequest || r.status == http.StatusUnprocessableEntity
}

// mentions reports whether any of the phrases, in lower case, is in the body.
func (r *refusal) mentions(phrases ...string) bool {
	body := bytes.ToLower(r.body)
	for _, p := range phrases {
		if bytes.Contains(body, []byte(p)) {
			return true
		}
	}
	return false
}

// words returns the server's message: that of a JSON object, otherwise the text. HTML and
// XML are not repeated.
func (r *refusal) words() string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(r.body), "?"))
	if strings.HasPrefix(text, "<") {
		return "a page of HTML or XML"
	}
	var said struct {
		Error, Message, Detail json.RawMessage
	}
	if json.Unmarshal([]byte(text), &said) == nil {
		for _, member := range []json.RawMessage{said.Error, said.Message, said.Detail} {
			if s := message(member); s != "" {
				text = s
				break
			}
		}
	}
	return text
}

// message returns the message in a member of a JSON error: the member itself, or the field
// "message" of it.
func message(member json.RawMessage) string {
	var text string
	if json.Unmarshal(member, &text) == nil {
		return text
	}
	var object struct{ Message string }
	if json.Unmarshal(member, &object) == nil && object.Message != "" {
		return object.Message
	}
	return string(member) // of another form: unchanged
}
