package whisper

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
)

// answer is the server's answer in verbose_json.
type answer struct {
	Language string  `json:"language"` // its name, "english"
	Text     *string `json:"text"`     // absent if the answer is something else
	// Segments are absent in an answer that has only a text.
	Segments []struct {
		Text  string   `json:"text"`
		Start *float64 `json:"start"` // seconds; absent if the server returns no times
		End   *float64 `json:"end"`
		// Words are whisper's tokens.
		Words []struct {
			Word        string   `json:"word"`
			Start       *float64 `json:"start"`
			End         *float64 `json:"end"`
			Probability float64  `json:"probability"`
		} `json:"words"`
	} `json:"segments"`
	Error any `json:"error"`
}

func readAnswer(data []byte, prompt string) (answer, error) {
	var a answer
	switch err := json.Unmarshal(data, &a); {
	case err != nil:
		return answer{}, notAnAnswer(err)
	case a.Error != nil:
		return answer{}, notAnAnswer(fmt.Errorf("it says: %s", said(fmt.Sprint(a.Error), prompt)))
	case a.Text == nil && a.Segments == nil:
		return answer{}, notAnAnswer(errors.New("an answer without text"))
	}
	return a, nil
}

// recognition converts the answer. asked is the requested language, and code is whisper's code
// for it: a model that does not know the language ignores the code.
func (a answer) recognition(asked, code string, length time.Duration) (engine.Recognition, error) {
	heard := whispermodel.CodeNamed(a.Language)
	spans := make([]span, 0, len(a.Segments))
	for _, seg := range a.Segments {
		s := span{text: seg.Text, from: seg.Start, to: seg.End}
		for _, w := range seg.Words {
			s.tokens = append(s.tokens, token{text: w.Word, from: w.Start, to: w.End, probability: w.Probability})
		}
		spans = append(spans, s)
	}
	if len(spans) == 0 && a.Text != nil {
		spans = append(spans, span{text: *a.Text})
	}
	segments := segmentsOf(spans, heard, length)
	switch {
	case len(segments) == 0: // the language may belong to an earlier recording
	case asked == "":
		asked = whispermodel.Tag(heard)
	case heard != "" && heard != code:
		return engine.Recognition{}, unknownLanguage(serverName, asked).
			Because(fmt.Errorf("whisper: asked for %q, the server's model heard %q", code, heard))
	}
	return engine.Recognition{Segments: segments, Language: asked}, nil
}
