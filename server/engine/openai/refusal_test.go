package openai_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	const (
		json  = "application/json"
		plain = "text/plain"
	)
	tests := []struct {
		name       string
		status     int
		kind, body string
		code       transcript.Code
		says       string // in the error
	}{
		{"wrong key", 401, json, `{"error":{"message":"Incorrect API key provided: sk-te******cret.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, transcript.ConfigError, "key file"},
		{"forbidden", 403, plain, "Forbidden", transcript.ConfigError, "key file"},
		{"no such model", 404, json, `{"error":{"message":"The model 'whisper-9' does not exist","type":"invalid_request_error","code":"model_not_found"}}`, transcript.ConfigError, "'whisper-9' does not exist"},
		{"no such path", 404, plain, "404 page not found", transcript.ConfigError, "page not found"},
		{"wrong method", 405, json, `{"detail":"Method Not Allowed"}`, transcript.ConfigError, "base URL"},
		{"redirect", 307, plain, "", transcript.ConfigError, "redirects"},
		{"too large", 413, json, `{"error":{"message":"413: Maximum content size limit (26214400) exceeded (26269543 bytes read)","type":"server_error"}}`, transcript.MediaTooLarge, "upload limit"},
		{"too large for a proxy", 413, "text/html", "<html><title>413 Request Entity Too Large</title></html>", transcript.MediaTooLarge, "upload limit"},
		{"rate", 429, json, `{"error":{"message":"Rate limit reached for whisper-1","type":"requests","code":"rate_limit_exceeded"}}`, transcript.RateLimited, "Rate limit reached"},
		{"no credit", 429, json, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, transcript.ConfigError, "credit"},
		{"payment", 402, plain, "Payment Required", transcript.ConfigError, "credit"},
		{"audio", 400, plain, "Invalid request", transcript.ConfigError, "Invalid request"},
		{"error as text", 400, json, `{"error":"no audio file"}`, transcript.ConfigError, "no audio file"},
		{"error as other object", 400, json, `{"error":{"reason":"odd"}}`, transcript.ConfigError, `{"reason":"odd"}`},
		{"validation", 422, json, `{"detail":[{"loc":["body","temperature"],"msg":"field required"}]}`, transcript.ConfigError, "field required"},
		{"language", 400, json, `{"error":{"message":"Language parameter must be specified in ISO-639-1 format.","param":"language"}}`, transcript.NotImplemented, "ISO-639-1"},
		{"teapot", 418, plain, "", transcript.ConfigError, "418"},
		{"not implemented", 501, plain, "", transcript.ConfigError, "501"},
		{"timeout", 408, plain, "", transcript.UpstreamFailed, "408"},
		{"failed", 500, plain, "500 Internal Server Error\nstof", transcript.UpstreamFailed, "500 Internal Server Error stof"},
		{"failed as JSON", 500, json, `{"error":"failed to process audio"}`, transcript.UpstreamFailed, "failed to process audio"},
		{"gateway", 502, "text/html", "<html><h1>Bad Gateway</h1></html>", transcript.UpstreamFailed, "a page of HTML"},
		{"loading", 503, json, `{"error":{"message":"Loading model"}}`, transcript.UpstreamFailed, "Loading model"},
		{"nothing to say", 204, plain, "", transcript.UpstreamFailed, "204"},
		{"binary", 500, plain, "\xff\xfe\x00", transcript.UpstreamFailed, "500"},
		{"long", 500, plain, strings.Repeat("ß", 70000), transcript.UpstreamFailed, "ßß"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := says(t, tt.status, tt.kind, tt.body, "Location", "/v1/elsewhere", "X-Should-Retry", "true")
			_, err := recognizer(t, e).Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{Language: "tlh"})
			require.ErrorIs(t, err, tt.code)
			require.ErrorContains(t, err, tt.says)
			assert.NotContains(t, err.Error(), "sk-te", "not even a part of a key")
			assert.Less(t, len(err.Error()), 1000)
			assert.NotContains(t, err.Error(), "\n")
			assert.Len(t, e.seen(), 1, "the pipeline tries again, nobody else")

			var coded *transcript.Error
			require.ErrorAs(t, err, &coded)
			passes := tt.code == transcript.UpstreamFailed || tt.code == transcript.RateLimited
			assert.Equal(t, passes, coded.RetryableJob())
			if tt.body != "" && tt.code != transcript.NotImplemented {
				assert.NotContains(t, coded.Message, tt.body, "the server's words are for the log")
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status int
		header string
		want   int
	}{
		{429, "20", 20},
		{429, "0.2", 1},
		{429, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), 3600},
		{429, time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), 30},
		{429, "", 30},
		{429, "soon", 30},
		{429, "-5", 30},
		{429, "NaN", 30},
		{429, "1e300", 30},
		{429, "999999999999", 86400},
		{503, "7", 7},
		{503, "", 0},
	}
	for _, tt := range tests {
		e := says(t, tt.status, "text/plain", "wait", "Retry-After", tt.header)
		_, err := recognizer(t, e).Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{})
		var coded *transcript.Error
		require.ErrorAs(t, err, &coded)
		assert.InDelta(t, tt.want, coded.RetryAfter, 10*map[bool]float64{true: 1}[tt.want == 3600], "%d %q", tt.status, tt.header)
	}
}

// What an endpoint refuses to tell is left out, and not asked for again.
func TestAsksForLess(t *testing.T) {
	t.Parallel()
	const (
		format    = `{"error":{"message":"response_format 'verbose_json' is not compatible with model 'x'. Use 'json' or 'text' instead.","param":"response_format","code":"unsupported_value"}}`
		words     = `{"detail":[{"type":"enum","loc":["body","timestamp_granularities[]",1],"msg":"Input should be 'segment'"}]}`
		something = `{"error":"no"}`
	)
	verbose, verboseWords := "verbose_json", "verbose_json segment word"
	tests := []struct {
		name    string
		refuses map[string]string // by what it is asked for
		asked   []string          // in the order of two calls
		fails   bool
	}{
		{"takes all", nil, []string{verboseWords, verboseWords}, false},
		{"no words", map[string]string{verboseWords: words}, []string{verboseWords, verbose, verbose}, false},
		{"text only", map[string]string{verboseWords: format}, []string{verboseWords, "json", "json"}, false},
		{"step by step", map[string]string{verboseWords: words, verbose: format}, []string{verboseWords, verbose, "json", "json"}, false},
		{"neither", map[string]string{verboseWords: words, verbose: words}, []string{verboseWords, verbose, "json", "json"}, false},
		{"nothing", map[string]string{verboseWords: format, "json": format}, []string{verboseWords, "json", "json"}, true},
		{"something else", map[string]string{verboseWords: something}, []string{verboseWords, verboseWords}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, func(w http.ResponseWriter, _ int, r request) {
				if refusal := tt.refuses[askedFor(r)]; refusal != "" {
					w.WriteHeader(http.StatusBadRequest)
					_, _ = io.WriteString(w, refusal) // the client reads it all
					return
				}
				_, _ = io.WriteString(w, `{"text":"hello"}`) // the client reads it all
			})
			r := recognizer(t, e)
			for range 2 {
				_, err := r.Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{})
				if tt.fails {
					require.ErrorIs(t, err, transcript.ConfigError)
				} else {
					require.NoError(t, err)
				}
			}
			var asked []string
			for _, r := range e.seen() {
				asked = append(asked, askedFor(r))
				assert.Equal(t, e.seen()[0].File, r.File, "the whole recording every time")
			}
			assert.Equal(t, tt.asked, asked)
		})
	}
}

func askedFor(r request) string {
	return strings.Join(append(r.Form["response_format"], r.Form["timestamp_granularities[]"]...), " ")
}

func TestManyAskForLessAtOnce(t *testing.T) {
	t.Parallel()
	e := serve(t, func(w http.ResponseWriter, _ int, r request) {
		if askedFor(r) != "json" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, "unknown response_format or timestamp_granularities") // the client reads it all
			return
		}
		_, _ = io.WriteString(w, `{"text":"hello"}`) // the client reads it all
	})
	r, audio := recognizer(t, e), tone(t, time.Second)
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { _, errs[i] = r.Recognize(t.Context(), audio, engine.RecognizeOptions{}) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	assert.LessOrEqual(t, len(e.seen()), 3*len(errs))
}

// An endpoint that is not there, and one that hangs up.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	gone := says(t, 200, "application/json", "{}")
	gone.Close()
	rude := serve(t, func(w http.ResponseWriter, _ int, _ request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = fmt.Fprint(w, `{"text":"hel`) // the client is left with it
		panic(http.ErrAbortHandler)
	})
	for _, e := range []*endpoint{gone, rude} {
		_, err := recognizer(t, e).Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{})
		require.ErrorIs(t, err, transcript.UpstreamFailed)
		assert.ErrorContains(t, err, "cannot be reached, or breaks off")
	}
	assert.Len(t, rude.seen(), 1)
}
