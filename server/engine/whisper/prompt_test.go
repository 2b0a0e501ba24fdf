package whisper_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
)

// after are the arguments from the first that is name.
func after(args []string, name string) []string {
	if i := slices.Index(args, name); i >= 0 {
		return args[i:]
	}
	return nil
}

// The prompt is an argument of its own, for every half minute of the audio, with room in
// the context for it and for little else.
func TestCLIPrompt(t *testing.T) {
	t.Parallel()
	audio := noise(t, time.Second)
	for prompt, context := range map[string]string{
		"Kubernetes, Grafana":       "21",
		"-x":                        "4",
		"/etc/passwd":               "13",
		strings.Repeat("name ", 99): "224",
	} {
		b := newBench(t, multilingual, cliOutput(t, "en", said{"hello", 0, 500}), "")
		heard, err := b.Recognize(t.Context(), audio, engine.RecognizeOptions{Prompt: prompt})
		require.NoError(t, err)
		assert.True(t, heard.Prompted)
		assert.Equal(t, []string{"-mc", context, "--prompt", " " + prompt, "--carry-initial-prompt"}, after(b.args(t), "-mc"))
	}
}

// A program that is too old to carry the prompt on gets it for the first half minute.
func TestOldCLIPrompt(t *testing.T) {
	t.Parallel()
	b := newBench(t, multilingual, cliOutput(t, "en", said{"hello", 0, 500}), "")
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "old"), nil, 0o600))
	for range 2 {
		heard, err := b.Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{Prompt: "Grafana"})
		require.NoError(t, err)
		assert.True(t, heard.Prompted)
		assert.Len(t, heard.Segments, 1)
		assert.Equal(t, []string{"-mc", "9", "--prompt", " Grafana"}, after(b.args(t), "-mc"))
	}
	runs, err := os.ReadFile(filepath.Join(b.dir, "runs"))
	require.NoError(t, err)
	assert.Equal(t, 3, strings.Count(string(runs), "\n"), "it is known from the first time on")
}

// Older servers keep what an earlier request has set: one without a prompt says so.
func TestServerPrompt(t *testing.T) {
	t.Parallel()
	kept := url.Values{}
	var context []string
	server := serve(t, func(w http.ResponseWriter, a asked) {
		for name, values := range a.form {
			kept[name] = values
		}
		context = append(context, kept.Get("prompt")+"|"+kept.Get("max_context"))
		reply(w, `{"language":"english","text":" yes","segments":[{"text":" yes","start":0,"end":1}]}`)
	})
	s := newServer(t, whisper.ServerOptions{URL: server.URL})
	for _, prompt := range []string{"Grafana", "", "--help"} {
		heard, err := s.Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{Prompt: prompt})
		require.NoError(t, err)
		assert.Equal(t, prompt != "", heard.Prompted)
	}
	assert.Equal(t, []string{" Grafana|9", "|0", " --help|8"}, context)
}

// What a server says may repeat the prompt, which no log may show.
func TestServerShowsNoPrompt(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 400, 413, 429, 500} {
		server := serve(t, func(w http.ResponseWriter, a asked) {
			w.WriteHeader(status)
			reply(w, `{"error":"what is `+a.form.Get("prompt")+`?"}`)
		})
		_, err := newServer(t, whisper.ServerOptions{URL: server.URL}).
			Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{Prompt: "Xanthippe"})
		require.Error(t, err)
		for ; err != nil; err = errors.Unwrap(err) {
			assert.NotContains(t, fmt.Sprintf("%+v", err), "Xanthippe")
		}
	}
}
