package openai_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

func TestHints(t *testing.T) {
	t.Parallel()
	const names = "Grafana,  Kubernetes cluster;PostgreSQL, , a<b>c, this part is too long to be a name"
	tests := []struct {
		model, language, prompt string
		want                    map[string][]string // without the model and the prompt
	}{
		{"gpt-transcribe", "", "", map[string][]string{"response_format": {"json"}}},
		{"gpt-transcribe", "nb-NO", names, map[string][]string{
			"response_format": {"json"}, "languages[]": {"no"}, "keywords[]": {"Grafana", "Kubernetes cluster", "PostgreSQL"},
		}},
		{"openai/gpt-transcribe-2026-07-27", "de", "Landlock", map[string][]string{
			"response_format": {"json"}, "languages[]": {"de"}, "keywords[]": {"Landlock"},
		}},
		{"gpt-4o-transcribe", "de", "Landlock", map[string][]string{"response_format": {"json"}, "language": {"de"}, "temperature": {"0"}}},
	}
	for _, tt := range tests {
		t.Run(tt.model+" "+tt.language, func(t *testing.T) {
			t.Parallel()
			e := says(t, 200, "application/json", `{"text":"hello","languages":[]}`)
			heard, err := recognizer(t, e, model(tt.model)).Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{Language: tt.language, Prompt: tt.prompt})
			require.NoError(t, err)
			assert.Equal(t, tt.prompt != "", heard.Prompted)
			assert.Equal(t, tt.language, heard.Language)
			want := tt.want
			want["model"] = []string{tt.model}
			if tt.prompt != "" {
				want["prompt"] = []string{tt.prompt}
			}
			assert.Equal(t, want, e.seen()[0].Form)
		})
	}
}

// A refused hint is left out once; the next request has the hints again.
func TestRefusedHints(t *testing.T) {
	t.Parallel()
	refuse := func(w http.ResponseWriter, message string) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"`+message+`"}}`) // the client may be gone
	}
	e := serve(t, func(w http.ResponseWriter, _ int, r request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case len(r.Form["keywords[]"]) > 0:
			refuse(w, "Too many keywords.")
		case len(r.Form["languages[]"]) > 0:
			refuse(w, "Invalid value: 'nn'. param: languages[0]")
		default:
			_, _ = io.WriteString(w, `{"text":"hei"}`) // the client may be gone
		}
	})
	r := recognizer(t, e, model("gpt-transcribe"))
	for range 2 {
		heard, err := r.Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{Language: "nn", Prompt: secretPrompt})
		require.NoError(t, err)
		assert.Equal(t, "hei", heard.Segments[0].Text)
		assert.True(t, heard.Prompted)
	}
	var sent [][]string
	for _, r := range e.seen() {
		sent = append(sent, append(r.Form["keywords[]"], r.Form["languages[]"]...))
	}
	assert.Equal(t, [][]string{{secretPrompt, "nn"}, {"nn"}, nil, {secretPrompt, "nn"}, {"nn"}, nil}, sent)
}
