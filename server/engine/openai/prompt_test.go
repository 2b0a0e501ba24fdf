package openai_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

const secretPrompt = "Xanthippe"

// An endpoint that takes no prompt, or not this one, is asked without it, and gets the
// next one again. What it tells about the times is still asked for.
func TestRefusedPrompt(t *testing.T) {
	t.Parallel()
	e := serve(t, func(w http.ResponseWriter, _ int, r request) {
		w.Header().Set("Content-Type", "application/json")
		if len(r.Form["prompt"]) > 0 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"Prompt is not supported."}}`) // the client may be gone
			return
		}
		_, _ = io.WriteString(w, `{"text":"hello"}`) // the client may be gone
	})
	r := recognizer(t, e)
	for range 2 {
		heard, err := r.Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{Prompt: secretPrompt})
		require.NoError(t, err)
		assert.False(t, heard.Prompted)
		assert.Equal(t, "hello", heard.Segments[0].Text)
	}
	var sent [][]string
	for _, r := range e.seen() {
		assert.Equal(t, []string{"segment", "word"}, r.Form["timestamp_granularities[]"])
		sent = append(sent, r.Form["prompt"])
	}
	assert.Equal(t, [][]string{{secretPrompt}, nil, {secretPrompt}, nil}, sent)
}

// The model that tells speakers apart is sent no prompt.
func TestModelWithoutPrompts(t *testing.T) {
	t.Parallel()
	e := says(t, 200, "application/json", `{"text":"hello"}`)
	r := recognizer(t, e, model("gpt-4o-transcribe-diarize"))
	assert.False(t, r.Info().Prompts)
	heard, err := r.Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{Prompt: secretPrompt})
	require.NoError(t, err)
	assert.False(t, heard.Prompted)
	assert.Empty(t, e.seen()[0].Form["prompt"])
}

// What an endpoint says may repeat the prompt, which no log may show.
func TestErrorsShowNoPrompt(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 404, 413, 422, 429, 500} {
		e := says(t, status, "application/json", `{"detail":[{"loc":["body","file"],"msg":"bad","input":"`+secretPrompt+`, language"}]}`)
		_, err := recognizer(t, e).Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{Prompt: secretPrompt, Language: "en"})
		require.Error(t, err)
		for ; err != nil; err = errors.Unwrap(err) {
			assert.NotContains(t, fmt.Sprintf("%+v", err), secretPrompt, "status %d", status)
		}
	}
}
