package e2e_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// guided are the answers of servers that hear what their prompt says, as they were
// recorded of whisper-server and of OpenAI's API.
const (
	whisperAnswer = `{"task":"transcribe","language":"english","duration":1.2,"text":" It is%[1]s.\n","segments":[{"id":0,"text":" It is%[1]s.","start":0.1,"end":1.0,"tokens":[467,307,1,13],
		"words":[{"word":" It","start":0.1,"end":0.2,"t_dtw":-1,"probability":0.9},{"word":" is","start":0.2,"end":0.4,"t_dtw":-1,"probability":0.8},
		{"word":"%[1]s","start":0.4,"end":0.9,"t_dtw":-1,"probability":0.7},{"word":".","start":0.9,"end":1.0,"t_dtw":-1,"probability":0.6}],
		"temperature":0.0,"avg_logprob":-0.3,"no_speech_prob":1.4e-05}]}`
	openaiAnswer = `{"task":"transcribe","language":"english","duration":1.2,"text":"It is %[1]s.","segments":[{"id":0,"seek":0,"start":0.1,"end":1.0,"text":" It is %[1]s.","tokens":[467,307,1,13],
		"temperature":0.0,"avg_logprob":-0.3,"compression_ratio":0.8,"no_speech_prob":1.4e-05}],
		"words":[{"word":"It","start":0.1,"end":0.2},{"word":"is","start":0.2,"end":0.4},{"word":"%[1]s.","start":0.4,"end":1.0}],"usage":{"type":"duration","seconds":2}}`
)

func guided(t *testing.T, answer string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, answer, r.FormValue("prompt")) // the client may be gone
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// The prompt of an account reaches each recognizer that takes one, and the times of its
// words come back to whoever asks for them.
func TestWordsAndPromptOfEachRecognizer(t *testing.T) {
	t.Parallel()
	program, err := filepath.Abs("testdata/whisper-cli")
	require.NoError(t, err)
	var head bytes.Buffer // of a model for many languages
	require.NoError(t, binary.Write(&head, binary.LittleEndian, []int32{0x67676d6c, 51865, 1500, 512, 8, 6, 448, 512, 8, 6, 80, 1}))
	model := filepath.Join(t.TempDir(), "ggml-base.bin")
	require.NoError(t, os.WriteFile(model, head.Bytes(), 0o600))
	said := speechtest.Say(t, "It is that program.")

	for name, recognizer := range map[string]func(engine.Host) (engine.Recognizer, error){
		"whisper-cli": func(h engine.Host) (engine.Recognizer, error) {
			return whisper.NewCLI(h, whisper.CLIOptions{Program: program, Model: model})
		},
		"whisper-server": func(engine.Host) (engine.Recognizer, error) {
			return whisper.NewServer(whisper.ServerOptions{URL: guided(t, whisperAnswer)})
		},
		"openai": func(engine.Host) (engine.Recognizer, error) {
			return openai.New(openai.Options{BaseURL: guided(t, openaiAnswer) + "/v1"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prompt := "Grafana"
			s := startService(t, func(c *server.Config) {
				accounts, err := account.New(c.Store, account.DefaultPlans())
				require.NoError(t, err)
				_, err = accounts.Set(t.Context(), "acme", account.Settings{Prompt: &prompt})
				require.NoError(t, err)
				c.Engine = func(h engine.Host) (engine.Engine, error) {
					r, err := recognizer(h)
					return engine.Engine{Media: ffmpeg.New(h), Recognizer: r}, err
				}
			})
			res, err := s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.File(said), SendMetadata: true})
			require.NoError(t, err)
			assert.Equal(t, true, res.Metadata["prompted"])
			assert.NotContains(t, fmt.Sprint(res.Metadata), prompt)
			saved, err := s.Library.GetWithWords(t.Context(), library.Key{Platform: transcript.Upload, ExternalID: res.Transcript.ExternalID})
			require.NoError(t, err)
			require.Len(t, saved.Transcript.Segments, 1)
			var words []string
			for _, w := range saved.Transcript.Segments[0].Words {
				words = append(words, fmt.Sprintf("%s %.3f-%.3f", w.Text, w.Start, w.End))
			}
			assert.Equal(t, []string{"It 0.100-0.200", "is 0.200-0.400", "Grafana. 0.400-1.000"}, words)
		})
	}
}
