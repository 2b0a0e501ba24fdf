package whisper

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
)

// cliOutput is the program's output with -ojf.
type cliOutput struct {
	Result struct {
		Language string `json:"language"` // a code
	} `json:"result"`
	// Transcription is absent if the file is something else.
	Transcription *[]struct {
		Text    string   `json:"text"`
		Offsets *offsets `json:"offsets"`
		Tokens  []struct {
			Text        string   `json:"text"`
			Offsets     *offsets `json:"offsets"` // absent if the time is not known
			Probability float64  `json:"p"`
		} `json:"tokens"`
	} `json:"transcription"`
}

// offsets are in milliseconds.
type offsets struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// seconds returns both offsets in seconds, nil if there are none.
func (o *offsets) seconds() (from, to *float64) {
	if o == nil {
		return nil, nil
	}
	start, end := o.From/1000, o.To/1000
	return &start, &end
}

// readOutput reads the file at path. An error means that the program has failed, because its
// exit code proves nothing.
func readOutput(path string) (cliOutput, error) {
	f, err := os.Open(path)
	if err != nil {
		return cliOutput{}, fmt.Errorf("no output: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxOutput))
	if err != nil {
		return cliOutput{}, fmt.Errorf("output: %w", err)
	}
	for i, b := range data {
		if b < ' ' { // the program escapes no control character in strings; elsewhere they are white space
			data[i] = ' '
		}
	}
	var out cliOutput
	if err := json.Unmarshal(data, &out); err != nil {
		return cliOutput{}, fmt.Errorf("output: %w", err)
	}
	if out.Transcription == nil {
		return cliOutput{}, fmt.Errorf("output without a transcription")
	}
	return out, nil
}

// recognition converts the output, in the requested or the detected language.
func (o cliOutput) recognition(asked string, length time.Duration) engine.Recognition {
	spans := make([]span, 0, len(*o.Transcription))
	for _, t := range *o.Transcription {
		s := span{text: t.Text}
		s.from, s.to = t.Offsets.seconds()
		for _, tok := range t.Tokens {
			part := token{text: tok.Text, probability: tok.Probability}
			part.from, part.to = tok.Offsets.seconds()
			s.tokens = append(s.tokens, part)
		}
		spans = append(spans, s)
	}
	code := whispermodel.CodeNamed(o.Result.Language)
	segments := segmentsOf(spans, code, length)
	if asked == "" && len(segments) > 0 {
		asked = whispermodel.Tag(code)
	}
	return engine.Recognition{Segments: segments, Language: asked}
}
