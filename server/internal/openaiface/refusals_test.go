package openaiface_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// The refusal of a field names the field, whether the field stands before or after the file.
func TestRefusedForms(t *testing.T) {
	t.Parallel()
	s := start(t)
	verbose := field("response_format", "verbose_json")
	for name, c := range map[string]struct {
		fields []part
		status int
		param  string
		code   string
	}{
		"no model":                  {nil, 400, "model", "invalid_request"},
		"an empty model":            {[]part{field("model", "")}, 400, "model", "invalid_request"},
		"an unknown model":          {[]part{field("model", "gpt-4o")}, 404, "model", "model_not_found"},
		"a model for speakers":      {[]part{field("model", "gpt-4o-transcribe-diarize")}, 400, "model", "model_not_found"},
		"two models":                {[]part{whisper, whisper}, 400, "model", "invalid_request"},
		"an unknown field":          {[]part{whisper, field("vad_filter", "true")}, 400, "vad_filter", "unknown_parameter"},
		"a field without a name":    {[]part{whisper, field("", "true")}, 400, "", "unknown_parameter"},
		"an unknown format":         {[]part{whisper, field("response_format", "xml")}, 400, "response_format", "invalid_request"},
		"no speakers":               {[]part{whisper, field("response_format", "diarized_json")}, 400, "response_format", "unsupported_value"},
		"words as json":             {[]part{whisper, field("timestamp_granularities[]", "word")}, 400, "timestamp_granularities", "invalid_value"},
		"a granularity":             {[]part{whisper, verbose, field("timestamp_granularities[]", "letter")}, 400, "timestamp_granularities", "invalid_request"},
		"a stream of cues":          {[]part{whisper, field("stream", "true"), field("response_format", "srt")}, 400, "stream", "unsupported_value"},
		"a stream of segments":      {[]part{whisper, verbose, field("stream", "true")}, 400, "stream", "unsupported_value"},
		"perhaps a stream":          {[]part{whisper, field("stream", "perhaps")}, 400, "stream", "invalid_request"},
		"log probabilities":         {[]part{whisper, field("include[]", "logprobs")}, 400, "include", "unsupported_value"},
		"a temperature":             {[]part{whisper, field("temperature", "2")}, 400, "temperature", "invalid_value"},
		"no temperature":            {[]part{whisper, field("temperature", "NaN")}, 400, "temperature", "invalid_value"},
		"a strategy":                {[]part{whisper, field("chunking_strategy", "none")}, 400, "chunking_strategy", "invalid_value"},
		"voices":                    {[]part{whisper, field("known_speaker_names[]", "Ann")}, 400, "known_speaker_names", "unsupported_parameter"},
		"recordings of voices":      {[]part{whisper, field("known_speaker_references[]", "data:audio/wav;base64,"+strings.Repeat("A", 1<<20))}, 400, "known_speaker_references", "unsupported_parameter"},
		"a language of two":         {[]part{whisper, field("language", "en,de")}, 400, "language", "invalid_value"},
		"no language":               {[]part{whisper, field("languages[]", "e!")}, 400, "languages", "invalid_value"},
		"recognition as a language": {[]part{whisper, field("language", "asr")}, 400, "language", "invalid_value"},
		"a language and languages":  {[]part{whisper, field("language", "en"), field("languages[]", "en")}, 400, "languages", "invalid_value"},
		"a foreign language":        {[]part{whisper, field("language", "fr")}, 503, "", "not_implemented"},
		"a prompt of bytes":         {[]part{whisper, field("prompt", "\xff")}, 400, "prompt", "invalid_request"},
		"a huge field":              {[]part{whisper, field("prompt", strings.Repeat("a", 1<<20))}, 400, "prompt", "invalid_request"},
		"hundreds of fields":        {append([]part{whisper}, hundreds()...), 400, "keywords", "invalid_request"},
		"fields without an end":     {append([]part{whisper}, make([]part, 2000)...), 400, "body", "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, parts := range [][]part{append([]part{file("a")}, c.fields...), append(c.fields[:len(c.fields):len(c.fields)], file("a"))} {
				a := s.transcribe(t, parts)
				require.Equal(t, c.status, a.StatusCode, a.body)
				f := a.failure(t)
				assert.Equal(t, c.param, f.param(), a.body)
				assert.Equal(t, c.code, f.Code, a.body)
			}
		})
	}
	t.Cleanup(func() { assert.Zero(t, s.Engine.Recognitions(), "no refused form is recognized") })
}

func hundreds() (all []part) {
	for i := range 500 {
		all = append(all, field("keywords[]", fmt.Sprint(i)))
	}
	return all
}

// The refusal of a body that is no form with one file has the form of OpenAI's errors too.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	s := start(t)
	whole, contentType := form(t, whisper, file("a"))
	boundary := strings.TrimPrefix(contentType, "multipart/form-data; boundary=")
	for name, c := range map[string]struct {
		contentType string
		body        string
		status      int
		param, code string
	}{
		"nothing":        {contentType, "", 415, "", "unsupported_media_type"},
		"JSON":           {"application/json", `{"model": "whisper-1"}`, 415, "", "unsupported_media_type"},
		"no boundary":    {"multipart/form-data", string(whole), 400, "Content-Type", "invalid_request"},
		"a long one":     {"multipart/form-data; boundary=" + strings.Repeat("b", 71), string(whole), 400, "Content-Type", "invalid_request"},
		"another one":    {"multipart/form-data; boundary=other", string(whole), 400, "body", "invalid_request"},
		"no end":         {contentType, strings.TrimSuffix(string(whole), "--\r\n"), 400, "body", "invalid_request"},
		"half a form":    {contentType, string(whole[:len(whole)/2]), 400, "body", "invalid_request"},
		"a large header": {contentType, "--" + boundary + "\r\nContent-Disposition: form-data; name=\"model\"\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", 400, "body", "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.do(t, http.MethodPost, transcriptions, strings.NewReader(c.body), header("Content-Type", c.contentType))
			require.Equal(t, c.status, a.StatusCode, a.body)
			f := a.failure(t)
			assert.Equal(t, c.param, f.param(), a.body)
			assert.Equal(t, c.code, f.Code, a.body)
		})
	}
	for name, parts := range map[string][]part{
		"no file": {whisper}, "two files": {file("a"), whisper, file("b")}, "an empty file": {file(""), whisper},
	} {
		a := s.transcribe(t, parts)
		assert.Equal(t, http.StatusBadRequest, a.StatusCode, name)
		assert.Equal(t, "upload_invalid", a.failure(t).Code, name)
	}
}

// The refusals of the edge have the same form.
func TestRefusalsOfTheEdge(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("small")
	plan.MaxUploadBytes, plan.EventStreams, plan.RateLimit = 1000, 1, account.RateLimit{Requests: 12, Window: time.Hour}
	poor := account.WithoutLimits("poor")
	poor.Upload = false
	s := start(t, servertest.OnPlan(plan, poor))
	held := func(parts []part, changes ...change) (*answer, failure) {
		a := s.transcribe(t, parts, changes...)
		return a, a.failure(t)
	}
	one := []part{whisper, file("a")}

	a, f := held(one, as(""))
	assert.Equal(t, http.StatusUnauthorized, a.StatusCode)
	assert.Equal(t, "invalid_api_key", f.Code)
	assert.Equal(t, "invalid_request_error", f.Type)
	assert.Equal(t, "Bearer", a.Header.Get("WWW-Authenticate"))
	a, f = held(one, as("sk-of-somebody"))
	assert.Equal(t, http.StatusUnauthorized, a.StatusCode)
	assert.Equal(t, "invalid_api_key", f.Code)

	narrow := s.NewKey(t, servertest.Account, account.Batches)
	a, f = held(one, as(narrow))
	assert.Equal(t, http.StatusForbidden, a.StatusCode)
	assert.Equal(t, "forbidden", f.Code)

	a, f = held([]part{whisper, file(strings.Repeat("a", 1001))})
	assert.Equal(t, http.StatusRequestEntityTooLarge, a.StatusCode)
	assert.Equal(t, "media_too_large", f.Code)

	wrong := s.do(t, http.MethodGet, transcriptions, nil)
	assert.Equal(t, http.StatusMethodNotAllowed, wrong.StatusCode)
	assert.Equal(t, "POST", wrong.Header.Get("Allow"))
	assert.Equal(t, "method_not_allowed", wrong.failure(t).Code)

	translation, contentType := form(t, one...)
	refused := s.do(t, http.MethodPost, "/v1/audio/translations", bytes.NewReader(translation), header("Content-Type", contentType))
	assert.Equal(t, http.StatusBadRequest, refused.StatusCode)
	assert.Equal(t, "unsupported_operation", refused.failure(t).Code)

	// As many requests wait as the plan permits event streams.
	release := s.Engine.Hold()
	waiting := s.open(t, file("a"))
	a, f = held([]part{whisper, file("b")})
	assert.Equal(t, http.StatusTooManyRequests, a.StatusCode)
	assert.Equal(t, "rate_limit_exceeded", f.Code)
	assert.NotEmpty(t, a.Header.Get("Retry-After"))
	release()
	assert.NotEmpty(t, waiting.rest(t))

	_, err := s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: "poor"})
	require.NoError(t, err)
	a, f = held(one)
	assert.Equal(t, http.StatusPaymentRequired, a.StatusCode)
	assert.Equal(t, "insufficient_quota", f.Type)
	assert.Equal(t, "upgrade_required", f.Code)

	// The rate window of the account counts these requests.
	_, err = s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: "small"})
	require.NoError(t, err)
	for range 12 {
		if a = s.do(t, http.MethodGet, "/v1/models", nil); a.StatusCode != http.StatusOK {
			break
		}
	}
	assert.Equal(t, http.StatusTooManyRequests, a.StatusCode)
	assert.Equal(t, "rate_limit_exceeded", a.failure(t).Code)
	assert.NotEmpty(t, a.Header.Get("Retry-After"))
}

// No place for one more recording is the 429 that programs wait after.
func TestNoPlace(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("small")
	plan.ASRConcurrency, plan.ASRWaiting = 1, 0
	s := start(t, servertest.OnPlan(plan))
	release := s.Engine.Hold()
	defer release()
	open := s.open(t, file("a"))
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	a := s.transcribe(t, []part{whisper, file("b")})
	assert.Equal(t, http.StatusTooManyRequests, a.StatusCode)
	assert.Equal(t, "asr_concurrency_limit", a.failure(t).Code)
	assert.NotEmpty(t, a.Header.Get("Retry-After"))
	assert.Empty(t, a.Header.Get("X-Should-Retry"))
	release()
	assert.NotEmpty(t, open.rest(t))
}

// A refusal for good goes before a refusal that may pass, such as a full disk or too many streams.
func TestRefusalsInOrder(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("tiny")
	plan.EventStreams, plan.MaxUploadBytes = 0, 4
	s := start(t, servertest.OnPlan(plan), servertest.Configure(func(c *server.Config) { c.Limits.MinFreeDisk = 1 << 60 }))
	for want, parts := range map[string][]part{
		"allows":          {whisper, file(strings.Repeat("a", 300<<10))}, // more than may stand around the file
		"response_format": {whisper, field("response_format", "song"), file("file")},
	} {
		a := s.transcribe(t, parts)
		assert.Less(t, a.StatusCode, http.StatusTooManyRequests, a.body)
		assert.Contains(t, a.failure(t).Message, want)
		assert.Empty(t, a.Header.Get("Retry-After"))
	}
}

// The part serves these routes alone.
func TestMount(t *testing.T) {
	t.Parallel()
	var mount http.Handler
	s := start(t, servertest.Configure(func(c *server.Config) {}))
	mount = s.OpenAI()
	for path, known := range map[string]bool{"/v1/models": true, "/v1/audio/transcriptions": true, "/v1/audio/translations": true, "/v1/transcript": false, "/healthz": false} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://service.example"+path, nil)
		require.NoError(t, err)
		w := &memo{header: http.Header{}}
		mount.ServeHTTP(w, r)
		assert.Equal(t, known, w.status != http.StatusNotFound, path)
	}
}

// memo is a writer that knows nothing of connections.
type memo struct {
	header http.Header
	status int
	bytes.Buffer
}

func (m *memo) Header() http.Header         { return m.header }
func (m *memo) WriteHeader(status int)      { m.status = status }
func (m *memo) Write(b []byte) (int, error) { return m.Buffer.Write(b) }

var _ io.Writer = (*memo)(nil)
