package whisper_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// asked is a request as the server reads it.
type asked struct {
	path, user string
	form       url.Values
	file       []byte
}

// serve starts a server that answers recordings as handle does, and its state as
// one does that is ready.
func serve(t testing.TB, handle func(w http.ResponseWriter, a asked)) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { reply(w, `{"status":"ok"}`) })
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		a := asked{path: r.URL.RequestURI()}
		a.user, _, _ = r.BasicAuth()
		file, header, err := r.FormFile("file")
		if err == nil {
			a.form = r.MultipartForm.Value
			a.file, err = io.ReadAll(file)
		}
		if err != nil || header.Filename == "" || r.ContentLength <= 0 {
			http.Error(w, "Invalid request", http.StatusBadRequest)
			return
		}
		handle(w, a)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func reply(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body) // a caller that has gone is a case of its own
}

// hears answers everything but silence with that, and silence in the language
// that is asked for.
func hears(answer string) func(http.ResponseWriter, asked) {
	names := map[string]string{"auto": "english", "en": "english", "zh": "chinese", "de": "german"}
	return func(w http.ResponseWriter, a asked) {
		if len(bytes.Trim(a.file[44:], "\x00")) == 0 {
			reply(w, `{"task":"transcribe","language":"`+names[a.form.Get("language")]+`","duration":3.0,"text":"","segments":[]}`)
			return
		}
		reply(w, answer)
	}
}

func newServer(t testing.TB, o whisper.ServerOptions) *whisper.Server {
	t.Helper()
	s, err := whisper.NewServer(o)
	require.NoError(t, err)
	return s
}

func TestServerConformance(t *testing.T) {
	t.Parallel()
	sample := enginetest.Sample{Path: speechtest.Say(t, sentence), Language: "en", Text: sentence}
	answer := serverAnswer(t, "english", said{sentence, 540, 26100})
	server := serve(t, hears(answer))
	enginetest.Recognizer(t, newServer(t, whisper.ServerOptions{URL: server.URL}), sample)
}

func TestServerAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer, language string
		want                   []string // of two seconds of audio
	}{
		{"words", serverAnswer(t, "english", said{"hello, world.", 200, 1400}), "en",
			[]string{"hello, world. 0.200-1.400 [hello, 0.200-0.800, world. 0.800-1.400]"}},
		{"an end behind the audio", serverAnswer(t, "javanese", said{"ya", 1000, 9000}), "jv",
			[]string{"ya 1.000-2.000 [ya 1.000-2.000]"}},
		{"behind the audio", serverAnswer(t, "german", said{"danke", 2500, 3000}), "", nil},
		{"without length", serverAnswer(t, "german", said{"danke", 500, 500}), "de", []string{"danke 0.500-2.000 [danke 0.500-0.500]"}},
		{"no times of words", `{"language":"haitian creole","text":"wi","segments":[{"text":" wi","start":0.1,"end":0.5,"words":[{"word":" wi","probability":1}]}]}`,
			"ht", []string{"wi 0.100-0.500"}},
		{"no times", `{"language":"english","text":" yes\n","segments":[{"text":" yes"}]}`, "en", []string{"yes 0.000-2.000"}},
		{"text only", `{"text":" yes\n no\n"}`, "", []string{"yes no 0.000-2.000"}},
		{"segments null", `{"text":" yes\n","segments":null,"words":null}`, "", []string{"yes 0.000-2.000"}},
		{"nothing", `{"text":"","segments":[]}`, "", nil},
		{"silence", `{"text":" [BLANK_AUDIO]\n","segments":[{"text":" [BLANK_AUDIO]","start":0,"end":2}]}`, "", nil},
		{"a language nobody knows", `{"language":"klingon","text":"","segments":[]}`, "", nil},
		{"nothing, in the language of the last one", `{"language":"arabic","text":"","segments":[]}`, "", nil},
		{"more than is asked for", `{"language":"english","text":" yes","segments":[{"text":" yes","start":0,"end":1}],"detected_language":"finnish","detected_language_probability":0.046,"language_probabilities":{"en":0.034}}`, "en", []string{"yes 0.000-1.000"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, func(w http.ResponseWriter, _ asked) { reply(w, tt.answer) })
			heard, err := newServer(t, whisper.ServerOptions{URL: server.URL}).
				Recognize(t.Context(), noise(t, 2*time.Second), engine.RecognizeOptions{})
			require.NoError(t, err)
			assert.Equal(t, tt.want, view(heard))
			assert.Equal(t, tt.language, heard.Language)
		})
	}
}

func TestServerRequest(t *testing.T) {
	t.Parallel()
	got := make(chan asked, 1)
	server := serve(t, func(w http.ResponseWriter, a asked) {
		got <- a
		reply(w, `{"text":"","segments":[]}`)
	})
	audio := noise(t, time.Second)
	wav, err := os.ReadFile(audio.Path)
	require.NoError(t, err)
	for _, tt := range []struct{ url, language, path, told, user string }{
		{server.URL, "", "/inference", "auto", ""},
		{server.URL + "/", "nb-NO", "/inference", "no", ""},
		{server.URL + "/v1/audio/transcriptions?x=y#z", "en_US", "/v1/audio/transcriptions?x=y", "en", ""},
		{strings.Replace(server.URL, "//", "//me:secret@", 1), "ja", "/inference", "ja", "me"},
	} {
		_, err := newServer(t, whisper.ServerOptions{URL: tt.url}).
			Recognize(t.Context(), audio, engine.RecognizeOptions{Language: tt.language})
		require.NoError(t, err)
		a := <-got
		assert.Equal(t, tt.path, a.path)
		assert.Equal(t, tt.user, a.user)
		assert.Equal(t, wav, a.file)
		assert.Equal(t, url.Values{
			"response_format": {"verbose_json"}, "language": {tt.told}, "temperature": {"0"}, "max_context": {"0"},
			"token_timestamps": {"true"}, "no_language_probabilities": {"true"}, "prompt": {""}, "carry_initial_prompt": {"true"},
		}, a.form)
	}
}

func TestServerFaults(t *testing.T) {
	t.Parallel()
	plain := func(code int, body string, header ...string) func(http.ResponseWriter, asked) {
		return func(w http.ResponseWriter, _ asked) {
			w.Header().Set("Content-Type", "text/plain")
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body) // the answer is what is tested
		}
	}
	for _, tt := range []struct {
		name   string
		handle func(http.ResponseWriter, asked)
		code   transcript.Code
		logs   string
		after  int
	}{
		{"400", plain(400, "Invalid request"), transcript.ConfigError, "status 400: Invalid request", 0},
		{"401", plain(401, ""), transcript.ConfigError, "status 401", 0},
		{"403", plain(403, "<html>\n<b>no</b>"), transcript.ConfigError, "status 403: <html> <b>no</b>", 0},
		{"404", plain(404, "File Not Found (/inference)"), transcript.ConfigError, "status 404: File Not Found (/inference)", 0},
		{"redirect", plain(302, "", "Location", "/other"), transcript.ConfigError, "status 302", 0},
		{"413", plain(413, "too large"), transcript.MediaTooLarge, "status 413", 0},
		{"429", plain(429, "", "Retry-After", "7"), transcript.RateLimited, "status 429", 7},
		{"429 now", plain(429, "", "Retry-After", "0"), transcript.RateLimited, "status 429", 10},
		{"429 in a year", plain(429, "", "Retry-After", "31536000"), transcript.RateLimited, "status 429", 86400},
		{"429 in the past", plain(429, "", "Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT"), transcript.RateLimited, "status 429", 10},
		{"503", plain(503, `{"status":"loading model"}`), transcript.RateLimited, "loading model", 10},
		{"500 in words", plain(500, "500 Internal Server Error\nstof"), transcript.UpstreamFailed, "500 Internal Server Error stof", 0},
		{"500 in JSON", plain(500, `{"error":"failed to process audio"}`), transcript.UpstreamFailed, "failed to process audio", 0},
		{"502", plain(502, strings.Repeat("x", 1<<20)), transcript.UpstreamFailed, "status 502: xxx", 0},
		{"an error of status 200", plain(200, `{"error":{"message":"no model"}}`), transcript.UpstreamFailed, "no model", 0},
		{"no JSON", plain(200, "hello"), transcript.UpstreamFailed, "invalid character", 0},
		{"other JSON", plain(200, "{}"), transcript.UpstreamFailed, "without text", 0},
		{"empty", plain(200, ""), transcript.UpstreamFailed, "unexpected end", 0},
		{"cut off", plain(200, `{"text":"`, "Content-Length", "100"), transcript.UpstreamFailed, "unexpected EOF", 0},
		{"hangs up", func(http.ResponseWriter, asked) { panic(http.ErrAbortHandler) }, transcript.UpstreamFailed, "EOF", 0},
		{"endless", func(w http.ResponseWriter, _ asked) {
			for blank := bytes.Repeat([]byte(" "), 1<<20); ; {
				if _, err := w.Write(blank); err != nil {
					return
				}
			}
		}, transcript.UpstreamFailed, "an answer longer than that of any", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, tt.handle)
			err := recognize(t, newServer(t, whisper.ServerOptions{URL: strings.Replace(server.URL, "//", "//me:secret@", 1)}))
			var e *transcript.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tt.code, e.Code, "%v", err)
			require.Error(t, e.Err)
			assert.Contains(t, e.Err.Error(), tt.logs)
			assert.Less(t, len(err.Error()), 1000)
			assert.NotContains(t, err.Error(), "127.0.0.1")
			assert.NotContains(t, err.Error(), "me:")
			assert.Equal(t, tt.after, e.RetryAfter)
		})
	}
}

// unreached is an address where nobody listens.
func unreached(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	return strings.Replace(server.URL, "//", "//me:secret@", 1)
}

func TestServerIsNotThere(t *testing.T) {
	t.Parallel()
	s := newServer(t, whisper.ServerOptions{URL: unreached(t)})
	for _, err := range []error{recognize(t, s), s.Check(t.Context())} {
		require.ErrorIs(t, err, transcript.UpstreamFailed)
		var op *net.OpError
		require.ErrorAs(t, err, &op)
		assert.NotContains(t, err.Error(), "me")
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestServerCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		code   transcript.Code // empty: fit
	}{
		{"ready", 200, ""},
		{"stuck after a failed load, or old", 404, transcript.ConfigError},
		{"loading", 503, transcript.UpstreamFailed},
		{"redirect", 302, transcript.ConfigError},
		{"nothing behind its proxy", 502, transcript.UpstreamFailed},
		{"wants a password", 401, transcript.ConfigError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for path, health := range map[string]string{
				"": "/health", "/inference": "/health", "/asr/inference": "/asr/health", "/v1/audio/transcriptions?x=y": "/health",
			} {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.RequestURI() != health {
						t.Errorf("asked for %s", r.URL)
					}
					w.Header().Set("Location", "/elsewhere")
					w.WriteHeader(tt.status)
				}))
				defer server.Close()
				err := newServer(t, whisper.ServerOptions{URL: server.URL + path}).Check(t.Context())
				if tt.code == "" {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, tt.code)
				}
			}
		})
	}
}

// One that takes the connection and is slow to answer is busy, not away. How long it may
// take is a setting.
func TestServerCheckOfABusyServer(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-answer:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	err := newServer(t, whisper.ServerOptions{URL: server.URL, CheckTimeout: time.Second}).Check(t.Context())
	require.ErrorIs(t, err, transcript.RateLimited)
	require.ErrorContains(t, err, "within 1s: it may be busy")
	close(answer)
	require.NoError(t, newServer(t, whisper.ServerOptions{URL: server.URL, CheckTimeout: time.Minute}).Check(t.Context()))
	_, err = whisper.NewServer(whisper.ServerOptions{URL: server.URL, CheckTimeout: -1})
	require.ErrorContains(t, err, "CheckTimeout")
}

func TestServerCheckStops(t *testing.T) {
	t.Parallel()
	why := errors.New("not wanted any more")
	ctx, cancel := context.WithCancelCause(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel(why)
		<-r.Context().Done()
	}))
	defer server.Close()
	require.ErrorIs(t, newServer(t, whisper.ServerOptions{URL: server.URL}).Check(ctx), why)
}

// A model that knows English only hears everything as English, without a word.
func TestServerModelDoesNotKnowTheLanguage(t *testing.T) {
	t.Parallel()
	server := serve(t, hears(serverAnswer(t, "english", said{"yes", 0, 500})))
	s := newServer(t, whisper.ServerOptions{URL: server.URL})
	for tag, ok := range map[string]bool{"de": false, "qaa": false, "en-GB": true, "": true} {
		_, err := s.Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{Language: tag})
		if ok {
			require.NoError(t, err, tag)
			continue
		}
		var e *transcript.Error
		require.ErrorAs(t, err, &e, tag)
		assert.Equal(t, transcript.NotImplemented, e.Code)
		assert.Equal(t, map[string]any{"language": tag, "engine": "whisper-server"}, e.Details)
	}
}

// Where nothing is heard, the server may name the language of an earlier
// recording.
func TestServerLanguageOfNothing(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ asked) { reply(w, `{"language":"arabic","text":"","segments":[]}`) })
	heard, err := newServer(t, whisper.ServerOptions{URL: server.URL}).
		Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{Language: "de"})
	require.NoError(t, err)
	assert.Equal(t, engine.Recognition{Language: "de"}, heard)
}

// What is too short or too long to be recognized is not sent.
func TestServerIsSpared(t *testing.T) {
	t.Parallel()
	s := newServer(t, whisper.ServerOptions{URL: unreached(t), MaxBytes: 100_000})
	heard, err := s.Recognize(t.Context(), noise(t, 90*time.Millisecond), engine.RecognizeOptions{})
	require.NoError(t, err)
	assert.Empty(t, heard.Segments)
	_, err = s.Recognize(t.Context(), noise(t, 3*time.Second), engine.RecognizeOptions{})
	require.ErrorIs(t, err, transcript.MediaTooLarge)
}

// The longest chunk fits in what the server accepts.
func TestMaxChunk(t *testing.T) {
	t.Parallel()
	for maxBytes, want := range map[int64]time.Duration{
		0: 0, 40_236: time.Second, 72_235: time.Second, 72_236: 2 * time.Second, 25 << 20: 818 * time.Second,
	} {
		server := serve(t, func(w http.ResponseWriter, a asked) { reply(w, `{"text":"","segments":[]}`) })
		s := newServer(t, whisper.ServerOptions{URL: server.URL, MaxBytes: maxBytes})
		assert.Equal(t, want, s.Info().MaxChunk, "%d bytes", maxBytes)
		_, err := s.Recognize(t.Context(), noise(t, min(want, 5*time.Second)), engine.RecognizeOptions{})
		require.NoError(t, err)
	}
	assert.Equal(t, time.Second, recognition.LengthsFor(newServer(t, whisper.ServerOptions{URL: "http://h", MaxBytes: 45_000}).Info()).Longest)
}

// One request is under way at a time; who waits can leave.
func TestServerOneAtATime(t *testing.T) {
	t.Parallel()
	var underWay atomic.Int32
	entered, leave := make(chan struct{}), make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, _ asked) {
		if underWay.Add(1) > 1 {
			t.Error("two requests at once")
		}
		entered <- struct{}{}
		<-leave
		underWay.Add(-1)
		reply(w, `{"text":"","segments":[]}`)
	})
	s := newServer(t, whisper.ServerOptions{URL: server.URL})
	audio := noise(t, time.Second)
	const calls = 3
	done := make(chan error, calls)
	for range calls {
		go func() {
			_, err := s.Recognize(t.Context(), audio, engine.RecognizeOptions{})
			done <- err
		}()
	}
	<-entered
	why := errors.New("not wanted any more")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, why)
	defer cancel()
	_, err := s.Recognize(ctx, audio, engine.RecognizeOptions{})
	require.ErrorIs(t, err, why)

	for i := range calls {
		leave <- struct{}{}
		require.NoError(t, <-done)
		if i < calls-1 {
			<-entered
		}
	}
}

func TestServerStops(t *testing.T) {
	t.Parallel()
	why := errors.New("not wanted any more")
	ctx, cancel := context.WithCancelCause(t.Context())
	left := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only when all is read is the leaving noticed
		cancel(why)
		<-r.Context().Done()
		close(left)
	}))
	defer server.Close()
	_, err := newServer(t, whisper.ServerOptions{URL: server.URL}).
		Recognize(ctx, noise(t, time.Second), engine.RecognizeOptions{})
	require.ErrorIs(t, err, why)
	<-left
}

// silentTransport never answers.
type silentTransport struct{}

func (silentTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A server that never answers is given up, later for a longer recording.
func TestServerPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, whisper.ServerOptions{URL: "http://speech.example", HTTP: &http.Client{Transport: silentTransport{}}})
		for _, length := range []time.Duration{time.Second, 30 * time.Second} {
			start := time.Now()
			_, err := s.Recognize(t.Context(), noise(t, length), engine.RecognizeOptions{})
			require.ErrorIs(t, err, transcript.UpstreamFailed)
			assert.ErrorContains(t, err, "no answer within")
			assert.Equal(t, 10*time.Minute+20*length, time.Since(start))
		}
		start := time.Now()
		require.ErrorIs(t, s.Check(t.Context()), transcript.UpstreamFailed)
		assert.Equal(t, 4*time.Second, time.Since(start))
	})
}

func TestServerHeedsNoProxyOfTheEnvironment(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the proxy was asked for %s", r.URL) }))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	// An address that is not local: those are never asked of a proxy.
	s := newServer(t, whisper.ServerOptions{URL: "http://speech.invalid"})
	err := s.Check(t.Context())
	require.ErrorIs(t, err, transcript.UpstreamFailed)
	assert.ErrorContains(t, err, "This machine cannot reach speech.invalid. "+strings.TrimSuffix(engine.CureNetwork, "."))
	_, err = s.Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{})
	require.ErrorIs(t, err, transcript.UpstreamFailed)
	assert.ErrorContains(t, err, "This machine cannot reach speech.invalid. ")
}

func TestNewServer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o    whisper.ServerOptions
		says string
	}{
		{whisper.ServerOptions{}, "no http or https address"},
		{whisper.ServerOptions{URL: "ftp://me:secret@h"}, "no http or https address"},
		{whisper.ServerOptions{URL: "http://me:secret/@h"}, "no http or https address"},
		{whisper.ServerOptions{URL: "localhost:8080"}, "no http or https address"},
		{whisper.ServerOptions{URL: "http://h", MaxBytes: 40_235}, "40236 is the least"},
		{whisper.ServerOptions{URL: "http://h", MaxBytes: -1}, "40236 is the least"},
	} {
		_, err := whisper.NewServer(tt.o)
		require.ErrorContains(t, err, tt.says)
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestServerInfo(t *testing.T) {
	t.Parallel()
	info := newServer(t, whisper.ServerOptions{URL: "http://h", Model: "large-v3"}).Info()
	assert.Equal(t, "whisper-server", info.Name)
	assert.Equal(t, "large-v3", info.Model)
	assert.True(t, info.Detects)
	assert.Contains(t, info.Languages, "sw")
}

// The caller's own client is not changed, and follows no redirect either.
func TestServerWithClient(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, a asked) {
		if a.path != "/inference" {
			t.Errorf("followed to %s", a.path)
		}
		w.Header().Set("Location", "/other")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	client := server.Client()
	require.ErrorIs(t, recognize(t, newServer(t, whisper.ServerOptions{URL: server.URL, HTTP: client})), transcript.ConfigError)
	assert.Nil(t, client.CheckRedirect)
}
