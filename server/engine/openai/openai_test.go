package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(os.Exit)) }

// The suite's sample is known to the endpoint by its sound: silence is no text.
func TestRecognizer(t *testing.T) { //nolint:paralleltest // the suite runs its checks one by one
	const said = "The quick brown fox jumps over the lazy dog."
	for _, name := range []string{"whisper-1", "gpt-4o-transcribe"} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, func(w http.ResponseWriter, _ int, r request) {
				text := ""
				if len(r.File) > 44 && bytes.Trim(r.File[44:], "\x00") != nil {
					text = said
				}
				answer := map[string]any{"text": text}
				if r.Form != nil && r.Form["response_format"][0] == "verbose_json" {
					answer["language"], answer["duration"], answer["segments"] = "english", "2.9", []any{}
					if text != "" {
						answer["segments"] = []any{map[string]any{"start": 0, "end": 1e6, "text": " " + text, "avg_logprob": -0.2, "no_speech_prob": 0.01}}
					}
				}
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(answer) // the client may be gone
			})
			enginetest.Recognizer(t, recognizer(t, e, model(name)),
				enginetest.Sample{Path: speechtest.Say(t, said), Language: "en-GB", Text: said})
		})
	}
}

func TestRequestAsSent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		model, language, prompt string
		want                    map[string][]string
	}{
		{"whisper-1", "", "", map[string][]string{
			"model": {"whisper-1"}, "temperature": {"0"}, "response_format": {"verbose_json"}, "timestamp_granularities[]": {"segment", "word"},
		}},
		{"", "pt-BR", "Grafana, -x", map[string][]string{
			"prompt": {"Grafana, -x"},
			"model":  {"whisper-1"}, "temperature": {"0"}, "response_format": {"verbose_json"}, "timestamp_granularities[]": {"segment", "word"}, "language": {"pt"},
		}},
		{"gpt-4o-mini-transcribe", "nb", "Grafana", map[string][]string{
			"prompt": {"Grafana"}, "model": {"gpt-4o-mini-transcribe"}, "temperature": {"0"}, "response_format": {"json"}, "language": {"no"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.model, func(t *testing.T) {
			t.Parallel()
			e := says(t, 200, "application/json", `{"text":"hello"}`)
			audio := tone(t, time.Second)
			_, err := recognizer(t, e, model(tt.model)).Recognize(t.Context(), audio, engine.RecognizeOptions{Language: tt.language, Prompt: tt.prompt})
			require.NoError(t, err)
			require.Len(t, e.seen(), 1)
			got := e.seen()[0]
			file, err := os.ReadFile(audio.Path)
			require.NoError(t, err)
			assert.Equal(t, "/v1/audio/transcriptions", got.Path)
			assert.Equal(t, "Bearer "+key, got.Authorization)
			assert.Equal(t, tt.want, got.Form)
			assert.Equal(t, "audio.wav", got.FileName)
			assert.Equal(t, "audio/wav", got.FileType)
			assert.Equal(t, file, got.File)
			assert.Greater(t, got.Length, int64(len(file)), "small servers want to know the length in advance")
		})
	}
}

func TestNoKeyNoHeader(t *testing.T) {
	t.Parallel()
	e := says(t, 200, "application/json", `{"text":"hello"}`)
	r := recognizer(t, e, func(o *openai.Options) { o.Key = "" })
	_, err := r.Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{})
	require.NoError(t, err)
	assert.Empty(t, e.seen()[0].Authorization)
}

func TestClickIsSilence(t *testing.T) {
	t.Parallel()
	e := says(t, 500, "text/plain", "must not be asked")
	heard, err := recognizer(t, e).Recognize(t.Context(), tone(t, 99*time.Millisecond), engine.RecognizeOptions{})
	require.NoError(t, err)
	assert.Empty(t, heard.Segments)
	assert.Empty(t, e.seen())
}

func TestEnvironmentIsNotRead(t *testing.T) { //nolint:paralleltest // it sets the environment
	trap := says(t, 500, "text/plain", "a trap")
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-trap", "OPENAI_ADMIN_KEY": "sk-trap", "OPENAI_BASE_URL": trap.URL, "OPENAI_ORG_ID": "org-trap",
		"OPENAI_PROJECT_ID": "trap", "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer sk-trap", "OPENAI_LOG": "debug",
		"HTTP_PROXY": trap.URL, "http_proxy": trap.URL, "ALL_PROXY": trap.URL,
	} {
		t.Setenv(name, value)
	}
	var header http.Header
	var hosts []string
	r, err := openai.New(openai.Options{BaseURL: "http://recognizer.test/v1", HTTP: &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
		header, hosts = req.Header, append(hosts, req.URL.Host)
		return response(req, `{"text":"hello"}`), nil
	})}})
	require.NoError(t, err)
	_, err = r.Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{})
	require.NoError(t, err)
	require.NoError(t, r.Check(t.Context()))
	assert.Equal(t, []string{"recognizer.test", "recognizer.test"}, hosts)
	assert.NotContains(t, fmt.Sprint(header), "trap")
	assert.Empty(t, header.Get("Authorization"))

	// The client of its own takes no proxy: nothing of that name exists.
	r, err = openai.New(openai.Options{BaseURL: "http://recognizer.invalid/v1"})
	require.NoError(t, err)
	err = r.Check(t.Context())
	require.ErrorIs(t, err, transcript.UpstreamFailed)
	assert.ErrorContains(t, err, "This machine cannot reach recognizer.invalid. "+strings.TrimSuffix(engine.CureNetwork, "."))
	_, err = r.Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{})
	require.ErrorIs(t, err, transcript.UpstreamFailed)
	assert.ErrorContains(t, err, "This machine cannot reach recognizer.invalid. ")
	assert.Empty(t, trap.seen())
}

func TestKeyIsNeverShown(t *testing.T) {
	t.Parallel()
	o := openai.Options{BaseURL: "http://127.0.0.1:1/v1", Key: key}
	r, err := openai.New(o)
	require.NoError(t, err)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, shown := range []any{o, &o, r, struct{ O openai.Options }{o}} {
			assert.NotContains(t, fmt.Sprintf(verb, shown), key)
			assert.NotContains(t, fmt.Sprintf(verb, shown), fmt.Sprintf("%x", key))
		}
	}
	assert.Contains(t, fmt.Sprintf("%+v", o), "Key:xxxxx")
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "options", o, "recognizer", r)
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "options", o, "recognizer", r)
	assert.NotContains(t, log.String(), key)

	for _, bad := range []openai.Options{{BaseURL: "http://127.0.0.1/", Key: key + "\n"}, {BaseURL: "http://u:" + key + "@h/"}, {BaseURL: "http://u:" + key + "@h:port/"}} {
		_, err := openai.New(bad)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), key)
	}
	for _, status := range []int{301, 400, 401, 403, 404, 413, 418, 429, 500} {
		e := says(t, status, "application/json", `{"error":{"message":"Incorrect API key provided: `+key+`."}}`)
		r := recognizer(t, e)
		_, err := r.Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{Language: "en"})
		require.Error(t, err)
		assert.NotContains(t, everything(err), key, "status %d", status)
		if err := r.Check(t.Context()); err != nil {
			assert.NotContains(t, everything(err), key, "status %d", status)
		}
	}
}

// everything prints an error and what it wraps in all detail.
func everything(err error) string {
	out := ""
	for ; err != nil; err = errors.Unwrap(err) {
		out += fmt.Sprintf("%v %+v %#v\n", err, err, err)
	}
	return out
}

func TestNewRefusesOptions(t *testing.T) {
	t.Parallel()
	tests := map[string]openai.Options{
		`base URL ""`:           {},
		"no address":            {BaseURL: "127.0.0.1:8000/v1"},
		"form":                  {BaseURL: "ftp://127.0.0.1/v1"},
		"http://":               {BaseURL: "http://127.0.0.1/v1?key=1"},
		"the key":               {BaseURL: "http://127.0.0.1/v1", Key: "a key"},
		"at most 1000 bytes do": {BaseURL: "http://127.0.0.1/v1", MaxBytes: 1000},
	}
	for word, o := range tests {
		_, err := openai.New(o)
		assert.ErrorContains(t, err, word)
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		model    string
		maxBytes int64
		chunk    time.Duration
	}{
		{"", 0, 10 * time.Minute},
		{"large-v3", 4 << 20, 129 * time.Second},
		{"large-v3", 1 << 40, 10 * time.Minute},
		{"gpt-4o-transcribe", 0, 30 * time.Second},
		{"gpt-4o-transcribe", 64<<10 + 64000, 2 * time.Second},
	}
	for _, tt := range tests {
		r, err := openai.New(openai.Options{BaseURL: "http://127.0.0.1:1/v1", Model: tt.model, MaxBytes: tt.maxBytes})
		require.NoError(t, err)
		info := r.Info()
		assert.Equal(t, tt.chunk, info.MaxChunk)
		assert.Equal(t, "openai", info.Name)
		assert.NotEmpty(t, info.Quality)
		assert.True(t, info.Detects)
		assert.Nil(t, info.Languages)
	}
}

// A chunk of the longest length is just sent, and a longer one is not.
func TestUploadLimit(t *testing.T) {
	t.Parallel()
	e := says(t, 200, "application/json", `{"text":"hello"}`)
	const limit = 64<<10 + 3*32000
	r := recognizer(t, e, func(o *openai.Options) { o.MaxBytes = limit })
	_, err := r.Recognize(t.Context(), tone(t, r.Info().MaxChunk), engine.RecognizeOptions{})
	require.NoError(t, err)
	assert.LessOrEqual(t, e.seen()[0].Length, int64(limit))

	_, err = r.Recognize(t.Context(), tone(t, r.Info().MaxChunk+3*time.Second), engine.RecognizeOptions{})
	require.ErrorIs(t, err, transcript.MediaTooLarge)
	assert.Len(t, e.seen(), 1)
}

func TestGivesUpAnEndpointThatIsSilent(t *testing.T) {
	t.Parallel()
	audio := tone(t, time.Second)
	synctest.Test(t, func(t *testing.T) {
		r, err := openai.New(openai.Options{BaseURL: "http://recognizer.test/v1", HTTP: &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		})}})
		require.NoError(t, err)
		began := time.Now()
		_, err = r.Recognize(t.Context(), audio, engine.RecognizeOptions{})
		require.ErrorIs(t, err, transcript.UpstreamFailed)
		assert.ErrorContains(t, err, "in time")
		assert.Equal(t, 5*time.Minute+10*time.Second, time.Since(began))

		began = time.Now()
		require.ErrorIs(t, r.Check(t.Context()), transcript.UpstreamFailed)
		assert.Equal(t, 4*time.Second, time.Since(began))
	})
}

// The context ends while the endpoint is still thinking, and while it answers.
func TestStopsWithTheCauseOfItsContext(t *testing.T) {
	t.Parallel()
	why := errors.New("nobody wants it any more")
	for _, begun := range []string{"", `{"text":"hel`} {
		reached, release := make(chan struct{}), make(chan struct{})
		e := serve(t, func(w http.ResponseWriter, _ int, _ request) {
			_, _ = io.WriteString(w, begun) // the client may be gone
			if begun != "" {
				w.(http.Flusher).Flush()
			}
			close(reached)
			<-release
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			<-reached
			cancel(why)
		}()
		_, err := recognizer(t, e).Recognize(ctx, tone(t, time.Second), engine.RecognizeOptions{})
		close(release)
		require.ErrorIs(t, err, why, "begun: %q", begun)

		_, err = recognizer(t, e).Recognize(ctx, tone(t, time.Second), engine.RecognizeOptions{})
		require.ErrorIs(t, err, why, "it had ended before")
		require.Len(t, e.seen(), 1)
		require.ErrorIs(t, recognizer(t, e).Check(ctx), why)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status int
		code   transcript.Code // empty: fit
	}{
		{200, ""}, {404, ""}, {405, ""}, {429, ""}, {501, ""}, {400, ""},
		{401, transcript.ConfigError},
		{403, transcript.ConfigError},
		{302, transcript.ConfigError},
		{500, transcript.UpstreamFailed},
		{503, transcript.UpstreamFailed},
	}
	for _, tt := range tests {
		e := says(t, tt.status, "text/html", "<p>"+strings.Repeat("long ", 1<<16), "Location", "/elsewhere")
		err := recognizer(t, e).Check(t.Context())
		require.Len(t, e.seen(), 1)
		assert.Equal(t, "GET /v1/models", e.seen()[0].Method+" "+e.seen()[0].Path)
		assert.Equal(t, "Bearer "+key, e.seen()[0].Authorization)
		if tt.code == "" {
			assert.NoError(t, err, "status %d", tt.status)
		} else {
			assert.ErrorIs(t, err, tt.code, "status %d", tt.status)
		}
	}
	gone := says(t, 200, "application/json", "{}")
	gone.Close()
	err := recognizer(t, gone).Check(t.Context())
	require.ErrorIs(t, err, transcript.UpstreamFailed)
	assert.ErrorContains(t, err, gone.URL+"/v1/")
}

// One that takes the connection and is slow to answer is busy, not away. How long it may
// take is a setting.
func TestCheckOfABusyEndpoint(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-answer:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	within := func(patience time.Duration) *openai.Recognizer {
		r, err := openai.New(openai.Options{BaseURL: server.URL, CheckTimeout: patience})
		require.NoError(t, err)
		return r
	}
	err := within(time.Second).Check(t.Context())
	require.ErrorIs(t, err, transcript.RateLimited)
	require.ErrorContains(t, err, "within 1s: it may be busy")
	close(answer)
	require.NoError(t, within(time.Minute).Check(t.Context()))
	_, err = openai.New(openai.Options{BaseURL: server.URL, CheckTimeout: -1})
	require.ErrorContains(t, err, "CheckTimeout")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func response(req *http.Request, body string) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: req,
	}
}
