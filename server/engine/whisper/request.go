package whisper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
)

// formOf returns the fields of a request, without the recording. The form has a prompt even if
// the prompt is empty, because older servers keep the prompt of an earlier request.
func formOf(code, prompt string) []whispermodel.Field {
	return []whispermodel.Field{
		{Name: "response_format", Value: "verbose_json"},
		{Name: "language", Value: cmp.Or(code, "auto")},
		{Name: "temperature", Value: "0"},
		{Name: "max_context", Value: contextFor(prompt)},
		{Name: "prompt", Value: spoken(prompt)},
		{Name: "carry_initial_prompt", Value: "true"},      // through the whole recording
		{Name: "token_timestamps", Value: "true"},          // for the times of words
		{Name: "no_language_probabilities", Value: "true"}, // computing them costs as much as half a minute of sound
	}
}

// send sends the recording and reads the answer.
func (s *Server) send(ctx context.Context, rec *whispermodel.Recording, code, prompt string) (answer, error) {
	late := fmt.Errorf("no answer within %v", patience(rec.Length))
	limited, cancel := context.WithTimeoutCause(ctx, patience(rec.Length), late)
	defer cancel()
	req, err := rec.Post(limited, s.inference(), formOf(code, prompt))
	if err != nil {
		return answer{}, fmt.Errorf("whisper: request: %w", withoutURL(err))
	}
	req.Close = true // the server closes idle connections, sometimes just when a request is sent
	resp, err := s.http.Do(req)
	if err != nil {
		return answer{}, unreachable(ctx, limited, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return answer{}, refused(resp, prompt)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxOutput+1))
	switch {
	case err != nil:
		return answer{}, unreachable(ctx, limited, err)
	case len(data) > maxOutput:
		return answer{}, notAnAnswer(errors.New("an answer longer than that of any recording"))
	}
	return readAnswer(data, prompt)
}
