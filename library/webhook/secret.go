package webhook

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

// Secret is the secret of an endpoint. A Secret is printed, logged and encoded as
// "[secret]". Only [Secret.Reveal] returns its text. The zero value has no text.
type Secret struct{ text *string }

// NewSecret returns the secret with a text: "whsec_" and base64.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text, for the place where the receiver keeps its secrets.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

const hidden = "[secret]"

// String returns "[secret]".
func (Secret) String() string { return hidden }

// Format writes "[secret]" with every verb.
func (Secret) Format(f fmt.State, _ rune) {
	_, _ = f.Write([]byte(hidden)) // the writer of fmt has no errors
}

// LogValue returns "[secret]".
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON writes "[secret]".
func (Secret) MarshalJSON() ([]byte, error) { return json.Marshal(hidden) }

// UnmarshalJSON reads the text of a secret.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("webhook: a secret is a JSON string")
	}
	*s = NewSecret(text)
	return nil
}
