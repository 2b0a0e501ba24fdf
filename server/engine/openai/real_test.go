package openai_test

import (
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/installed"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A real Whisper behind a server with the same API passes the suite. The server refuses to tell
// speakers apart, and answers nothing while it recognizes.
func TestRealWhisper(t *testing.T) { //nolint:paralleltest // all use one server, one after the other
	url := installed.StartWhisper(t)
	const said = "The quick brown fox jumps over the lazy dog."
	sample := enginetest.Sample{Path: speechtest.Say(t, said), Language: "en", Text: said}
	audio := audioOf(t, sample.Path)

	r, err := openai.New(openai.Options{BaseURL: url, Model: installed.WhisperModel})
	require.NoError(t, err)
	enginetest.Recognizer(t, r, sample)

	t.Run("refuses speakers", func(t *testing.T) {
		r, err := openai.New(openai.Options{BaseURL: url, Model: installed.WhisperModel, Speakers: true})
		require.NoError(t, err)
		heard, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: "en"})
		require.NoError(t, err)
		assert.False(t, heard.KnowsVoices)
		require.NotEmpty(t, heard.Segments)
		assert.Empty(t, heard.Segments[0].Speaker)
		assert.NotEmpty(t, heard.Segments[0].Words, "it was asked again for words")
		assert.Zero(t, speechtest.WordErrorRate(said, heard.Segments[0].Text))
	})

	t.Run("refuses a language", func(t *testing.T) {
		_, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: "de"})
		require.ErrorIs(t, err, transcript.NotImplemented)
	})

	t.Run("refuses odd requests", func(t *testing.T) {
		cut, err := os.ReadFile(sample.Path)
		require.NoError(t, err)
		cut = cut[:len(cut)-1] // within a sample
		part := func(name, value string) string {
			return "--b\r\nContent-Disposition: form-data; name=" + name + "\r\n\r\n" + value + "\r\n"
		}
		form := func(model, file string) string {
			return part("model", model) + part("file; filename=a.wav", file) + "--b--\r\n"
		}
		for _, odd := range []struct {
			contentType, body string
			want              int
		}{
			{"multipart/form-data; boundary=b", form(installed.WhisperModel, string(cut)), http.StatusOK},
			{"multipart/form-data; boundary=b", form("\xff", string(cut)), http.StatusBadRequest},
			{"multipart/form-data; boundary=b", form(installed.WhisperModel, "no WAV"), http.StatusBadRequest},
			{"multipart/form-data", form(installed.WhisperModel, string(cut)), http.StatusBadRequest},
			{"", "anything", http.StatusBadRequest},
		} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/audio/transcriptions", strings.NewReader(odd.body))
			require.NoError(t, err)
			if odd.contentType != "" {
				r.Header.Set("Content-Type", odd.contentType)
			}
			answer, err := http.DefaultClient.Do(r)
			require.NoError(t, err, "the server has no answer to %s %.200q", odd.contentType, odd.body)
			require.NoError(t, answer.Body.Close())
			assert.Equal(t, odd.want, answer.StatusCode, "%s %.200q", odd.contentType, odd.body)
		}
	})

	t.Run("is busy", func(t *testing.T) {
		sent := make(chan struct{})
		patient := openai.Options{BaseURL: url, Model: installed.WhisperModel, HTTP: &http.Client{Transport: traced{sent}}}
		r, err := openai.New(patient)
		require.NoError(t, err)
		long := audioOf(t, speechtest.Repeat(t, sample.Path, 12)) // half a minute
		heard := make(chan error, 1)
		go func() {
			_, err := r.Recognize(t.Context(), long, engine.RecognizeOptions{Language: "en"})
			heard <- err
		}()
		<-sent
		asks, err := openai.New(openai.Options{BaseURL: url, Model: installed.WhisperModel, CheckTimeout: 100 * time.Millisecond})
		require.NoError(t, err)
		err = asks.Check(t.Context())
		require.ErrorIs(t, err, transcript.RateLimited)
		assert.ErrorContains(t, err, "it may be busy")
		assert.Empty(t, heard, "the server still works")
		require.NoError(t, <-heard, "and is not disturbed")
		require.NoError(t, r.Check(t.Context()))
	})
}

// traced tells when a request has been sent.
type traced struct{ sent chan struct{} }

func (s traced) RoundTrip(r *http.Request) (*http.Response, error) {
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) {
		if r.Method == http.MethodPost {
			close(s.sent)
		}
	}}
	return http.DefaultTransport.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
}

func audioOf(t *testing.T, path string) engine.Audio {
	t.Helper()
	rec, err := speech.Open(path)
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	return engine.Audio{Path: path, Duration: rec.Duration()}
}
