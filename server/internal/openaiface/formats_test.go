package openaiface_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// talk is what the recognizer of these tests hears.
func talk(_ context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
	sure := 0.5
	segments := []transcript.Segment{
		{Text: "Good morning.", Start: 0.5, Duration: 1.25, Speaker: "A", Words: []transcript.Word{{Text: "Good", Start: 0.5, End: 1}, {Text: "morning.", Start: 1, End: 1.75}}},
		{Text: "Hello.", Start: 2, Duration: 1, Speaker: "B", Confidence: &sure, Words: []transcript.Word{{Text: "Hello.", Start: 2, End: 3}}},
	}
	return engine.Recognition{Segments: segments, Language: "en"}, nil
}

// withSpeakers is a service whose recognizer tells speakers apart, detects languages and takes
// prompts.
func withSpeakers() servertest.Option {
	return servertest.Configure(func(c *server.Config) {
		makeEngine := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := makeEngine(h)
			e.Recognizer = diarist{e.Recognizer}
			return e, err
		}
	})
}

type diarist struct{ engine.Recognizer }

func (d diarist) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{Name: "diarist", Model: "large", Languages: []string{"en", "de"}, Detects: true, Speakers: true, Prompts: true, Chunk: 10 * time.Second, MaxChunk: 10 * time.Second}
}

func TestEveryFormat(t *testing.T) {
	t.Parallel()
	s := start(t, withSpeakers())
	s.Engine.SetRecognize(talk)
	verbose := func(segments, words string) string {
		return `{"task": "transcribe", "language": "english", "duration": 10, "text": "Good morning. Hello.", ` + segments + words + `"usage": {"type": "duration", "seconds": 10}}`
	}
	const segments = `"segments": [
		{"id": 0, "seek": 0, "start": 0.5, "end": 1.75, "text": "Good morning.", "tokens": [], "temperature": 0, "avg_logprob": 0, "compression_ratio": 0, "no_speech_prob": 0},
		{"id": 1, "seek": 0, "start": 2, "end": 3, "text": "Hello.", "tokens": [], "temperature": 0, "avg_logprob": -0.6931, "compression_ratio": 0, "no_speech_prob": 0}],`
	const words = `"words": [{"word": "Good", "start": 0.5, "end": 1}, {"word": "morning.", "start": 1, "end": 1.75}, {"word": "Hello.", "start": 2, "end": 3}],`
	for name, c := range map[string]struct {
		fields []part
		media  string
		want   string
	}{
		"none":         {nil, "application/json", `{"text": "Good morning. Hello.", "languages": [{"code": "en"}], "usage": {"type": "duration", "seconds": 10}}`},
		"text":         {[]part{field("response_format", "text")}, "text/plain; charset=utf-8", "Good morning. Hello.\n"},
		"srt":          {[]part{field("response_format", "srt")}, "text/plain; charset=utf-8", "1\n00:00:00,500 --> 00:00:01,750\nGood morning.\n\n2\n00:00:02,000 --> 00:00:03,000\nHello.\n"},
		"verbose_json": {[]part{field("response_format", "verbose_json")}, "application/json", verbose(segments, "")},
		"words": {
			[]part{field("response_format", "verbose_json"), field("timestamp_granularities[]", "word")}, "application/json", verbose("", words)},
		"words and segments": {
			[]part{field("timestamp_granularities[]", "word"), field("timestamp_granularities", "segment"), field("response_format", "verbose_json")},
			"application/json", verbose(segments, words)},
		"diarized_json": {[]part{field("response_format", "diarized_json")}, "application/json", `{"task": "transcribe", "duration": 10, "text": "Good morning. Hello.", "segments": [
			{"type": "transcript.text.segment", "id": "seg_0", "start": 0.5, "end": 1.75, "text": "Good morning.", "speaker": "A"},
			{"type": "transcript.text.segment", "id": "seg_1", "start": 2, "end": 3, "text": "Hello.", "speaker": "B"}],
			"usage": {"type": "duration", "seconds": 10}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, content := range []string{"one file", "one file", name} { // of all, from the cache, new
				a := s.transcribe(t, append([]part{whisper, file(content)}, c.fields...)) // the fields come after the file
				require.Equal(t, http.StatusOK, a.StatusCode, a.body)
				assert.Equal(t, c.media, a.Header.Get("Content-Type"))
				assert.Equal(t, compact(c.want), a.body)
			}
		})
	}
	t.Run("vtt", func(t *testing.T) {
		t.Parallel()
		a := s.transcribe(t, []part{field("response_format", "vtt"), whisper, file("one file")})
		assert.Equal(t, "text/plain; charset=utf-8", a.Header.Get("Content-Type"))
		assert.Regexp(t, `^WEBVTT\n(?s:.*)00:00:00\.500 --> 00:00:01\.750`, a.body)
	})
}

// compact is JSON without spaces between its tokens, and any other text as it is.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// An answer has the same bytes when it is made, when the service remembers it, and as gzip.
func TestRememberedAnswers(t *testing.T) {
	t.Parallel()
	s := start(t, withSpeakers())
	s.Engine.SetRecognize(talk)
	for _, fields := range [][]part{
		{field("response_format", "json")}, {field("response_format", "text")}, {field("response_format", "srt")}, {field("response_format", "vtt")},
		{field("response_format", "diarized_json")}, {field("response_format", "verbose_json")},
		{field("response_format", "verbose_json"), field("timestamp_granularities[]", "word")},
		{field("response_format", "verbose_json"), field("timestamp_granularities[]", "word"), field("timestamp_granularities[]", "segment")},
	} {
		fields = append(fields, whisper, file("one file"))
		made, remembered := s.transcribe(t, fields), s.transcribe(t, fields)
		require.Equal(t, http.StatusOK, made.StatusCode, made.body)
		assert.Equal(t, made.body, remembered.body)
		packed := s.transcribe(t, fields, header("Accept-Encoding", "gzip"))
		require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
		assert.Equal(t, made.Header.Get("Content-Type"), packed.Header.Get("Content-Type"))
		r, err := gzip.NewReader(strings.NewReader(packed.body))
		require.NoError(t, err)
		plain, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, made.body, string(plain))
	}
}

// The service remembers an answer for one text only: another prompt makes another text of the
// same file.
func TestRememberedAnswersOfTwoTexts(t *testing.T) {
	t.Parallel()
	s := start(t, withSpeakers())
	for _, said := range []string{"one", "two"} {
		s.Engine.Say(said)
		for range 2 {
			a := s.transcribe(t, []part{whisper, file("a"), field("prompt", said), field("response_format", "text")})
			assert.Equal(t, said+"\n", a.body)
		}
	}
}

// Nothing heard is a text without words, in every format.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetMedia(servertest.Media{Silent: true})
	a := s.transcribe(t, []part{whisper, file("a")})
	assert.JSONEq(t, `{"text": "", "languages": [], "usage": {"type": "duration", "seconds": 10}}`, a.body)
	a = s.transcribe(t, []part{whisper, file("a"), field("response_format", "verbose_json"), field("timestamp_granularities[]", "word"), field("timestamp_granularities[]", "segment")})
	assert.JSONEq(t, `{"task": "transcribe", "language": "unknown", "duration": 10, "text": "", "segments": [], "words": [], "usage": {"type": "duration", "seconds": 10}}`, a.body)
	a = s.transcribe(t, []part{whisper, file("a"), field("stream", "true")})
	assert.Equal(t, "data: {\"type\":\"transcript.text.done\",\"text\":\"\",\"languages\":[],\"usage\":{\"type\":\"duration\",\"seconds\":10,\"input_tokens\":0,\"output_tokens\":0,\"total_tokens\":0}}\n\n", a.body)
}

// The prompt and the keywords reach the recognizer, and the language.
func TestHints(t *testing.T) {
	t.Parallel()
	s := start(t, withSpeakers())
	asked := make(chan engine.RecognizeOptions, 10)
	s.Engine.SetRecognize(func(ctx context.Context, call int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
		asked <- o
		return talk(ctx, call, a, o)
	})
	for name, c := range map[string]struct {
		fields           []part
		language, prompt string
	}{
		"none":                     {nil, "", ""},
		"empty fields":             {[]part{field("language", ""), field("prompt", "")}, "", ""},
		"a language":               {[]part{field("language", "de")}, "de", ""},
		"a list of one":            {[]part{field("languages[]", "de")}, "de", ""},
		"two that are known":       {[]part{field("languages[]", "de"), field("languages[]", "en")}, "", ""},
		"one of two that is known": {[]part{field("languages", "fr"), field("languages", "de")}, "de", ""},
		"names":                    {[]part{field("prompt", "Ann\nLee"), field("keywords[]", "Grafana"), field("keywords", "pgx")}, "", "Grafana, pgx, Ann Lee"},
	} {
		a := s.transcribe(t, append(c.fields, whisper, file(name)))
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		o := <-asked
		assert.Equal(t, c.language, o.Language, name)
		assert.Equal(t, c.prompt, o.Prompt, name)
	}
	// With another prompt the same file is heard again, with the same one it is not.
	for _, again := range []int{1, 0} {
		before := s.Engine.Recognitions()
		a := s.transcribe(t, []part{whisper, file("none"), field("prompt", "Ann")})
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		assert.Equal(t, again, s.Engine.Recognitions()-before)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	plain, speakers := start(t), start(t, withSpeakers())
	ids := func(s *service) (all []string) {
		var list struct {
			Object string
			Data   []struct {
				ID, Object string
				Created    *int64
				OwnedBy    string `json:"owned_by"`
			}
		}
		a := s.do(t, http.MethodGet, "/v1/models", nil)
		require.NoError(t, json.Unmarshal([]byte(a.body), &list), a.body)
		assert.Equal(t, "list", list.Object)
		for _, m := range list.Data {
			assert.Equal(t, "model", m.Object)
			assert.NotNil(t, m.Created)
			assert.NotEmpty(t, m.OwnedBy)
			all = append(all, m.ID)
		}
		return all
	}
	assert.Equal(t, []string{"test", "gpt-transcribe", "gpt-4o-transcribe", "gpt-4o-mini-transcribe", "whisper-1"}, ids(plain))
	assert.Equal(t, []string{"large", "gpt-transcribe", "gpt-4o-transcribe", "gpt-4o-mini-transcribe", "gpt-4o-transcribe-diarize", "whisper-1"}, ids(speakers))
	for _, name := range append(ids(speakers), "gpt-4o-mini-transcribe-2025-12-15") {
		assert.Equal(t, http.StatusOK, speakers.transcribe(t, []part{field("model", name), file("a")}).StatusCode, name)
	}
	none := start(t, servertest.Configure(func(c *server.Config) {
		makeEngine := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := makeEngine(h)
			e.Recognizer = nil
			return e, err
		}
	}))
	assert.Empty(t, ids(none))
	a := none.transcribe(t, []part{whisper, file("a")})
	assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode)
	assert.Equal(t, "not_implemented", a.failure(t).Code)
	assert.Equal(t, "false", a.Header.Get("X-Should-Retry"), "the clients would send the file again")
}
