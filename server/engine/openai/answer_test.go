package openai_test

import (
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// hosted is the hosted whisper-1's answer with segments and words.
const hosted = `{"task":"transcribe","language":"english","duration":3.319999933242798,"text":"The beach was popular. Kids built.",
"segments":[
{"id":0,"seek":0,"start":0.0,"end":1.5,"text":" The beach was popular.","tokens":[50364,440,7534],"temperature":0.0,"avg_logprob":-0.2860786020755768,"compression_ratio":1.2363636493682861,"no_speech_prob":0.00985979475080967},
{"id":1,"seek":0,"start":1.5,"end":3.3,"text":" Kids built.","tokens":[50364],"temperature":0.0,"avg_logprob":-0.5,"compression_ratio":1.2,"no_speech_prob":0.01}],
"words":[{"word":"The","start":0.0,"end":0.3},{"word":"beach","start":0.3,"end":0.6},{"word":"was","start":0.6,"end":0.6},{"word":"popular","start":0.6,"end":1.5},
{"word":"Kids","start":1.48,"end":2.1},{"word":"built","start":2.1,"end":3.3}],
"usage":{"type":"duration","seconds":4}}`

func TestHostedAnswer(t *testing.T) {
	t.Parallel()
	e := says(t, 200, "application/json", hosted)
	var done []time.Duration
	heard, err := recognizer(t, e).Recognize(t.Context(), tone(t, 4*time.Second), engine.RecognizeOptions{
		Progress: func(d time.Duration) { done = append(done, d) },
	})
	require.NoError(t, err)
	first, second, end := 0.751, 0.607, 3.3
	assert.Equal(t, engine.Recognition{Language: "en", Segments: []transcript.Segment{
		{Text: "The beach was popular.", Start: 0, Duration: 1.5, Confidence: &first, Words: []transcript.Word{
			{Text: "The", Start: 0, End: 0.3}, {Text: "beach", Start: 0.3, End: 0.6}, {Text: "was", Start: 0.6, End: 0.6}, {Text: "popular", Start: 0.6, End: 1.5},
		}},
		{Text: "Kids built.", Start: 1.5, Duration: end - 1.5, Confidence: &second, Words: []transcript.Word{
			{Text: "Kids", Start: 1.48, End: 2.1}, {Text: "built", Start: 2.1, End: 3.3},
		}},
	}}, heard)
	assert.Equal(t, []time.Duration{4 * time.Second}, done)
}

// seg is a segment in short: its span and text.
type seg struct {
	from, to float64
	text     string
}

// The audio of every case is 10 s long.
func TestAnswerShapes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       []seg
	}{
		{"text only", `{"text":" hello there\n"}`, []seg{{0, 10, "hello there"}}},
		{"text with usage", `{"text":"hello","usage":{"type":"tokens","total_tokens":20}}`, []seg{{0, 10, "hello"}}},
		{"segments and words null", `{"text":"hello","segments":null,"words":null}`, []seg{{0, 10, "hello"}}},
		{"segments and words empty", `{"text":"hello","segments":[],"words":[]}`, []seg{{0, 10, "hello"}}},
		{"words null beside segments", `{"text":"a b","segments":[{"start":1,"end":2,"text":"a"},{"start":2,"end":3,"text":"b","words":null}],"words":null}`, []seg{{1, 2, "a"}, {2, 3, "b"}}},
		{"words without segments", `{"text":"one, two","words":[{"word":" one","start":1,"end":2},{"word":"two","start":5,"end":6}]}`, []seg{{1, 2, "one"}, {5, 6, "two"}}},
		{"words without text", `{"words":[{"word":"one","start":1,"end":2},{"word":"two","start":2.2,"end":3}]}`, []seg{{1, 3, "one two"}}},
		{"no text at all", `{"text":"","segments":[],"words":[]}`, nil},
		{"blanks", `{"text":" \n"}`, nil},
		{"duration as string", `{"text":"hello","duration":"10.0","segments":[{"start":0,"end":2,"text":"hello"}]}`, []seg{{0, 2, "hello"}}},
		{"times as strings", `{"text":"hello","segments":[{"start":"0.5","end":"2","text":"hello","avg_logprob":"-0.1"}]}`, []seg{{0.5, 2, "hello"}}},
		{"times null", `{"text":"hello","segments":[{"start":null,"end":null,"text":"hello"}]}`, []seg{{0, 10, "hello"}}},
		{"end after the audio", `{"text":"hello","duration":30,"segments":[{"start":9,"end":30,"text":"hello"}]}`, []seg{{9, 10, "hello"}}},
		{"start before the audio", `{"text":"hello","segments":[{"start":-1,"end":1,"text":"hello"}]}`, []seg{{0, 1, "hello"}}},
		{"out of range, without text", `{"text":"a","segments":[{"start":10,"end":12,"text":"x"},{"start":4,"end":5,"text":" "},{"start":1,"end":2,"text":"a"}]}`, []seg{{1, 2, "a"}}},
		{"without length", `{"text":"a y z b","segments":[{"start":1,"end":2,"text":"a"},{"start":3,"end":3,"text":"y"},{"start":7,"end":6,"text":"z"},{"start":9,"end":10,"text":"b"},{"start":10,"end":10,"text":"c"}]}`, []seg{{1, 2, "a"}, {3, 7, "y"}, {7, 9, "z"}, {9, 10, "b c"}}},
		{"no times at all", `{"text":"a b","segments":[{"text":"a"},{"text":"b"}]}`, []seg{{0, 10, "a b"}}},
		{"a word without length", `{"words":[{"word":"one","start":4,"end":4}]}`, []seg{{4, 10, "one"}}},
		{"not in order", `{"text":"a b","segments":[{"start":5,"end":6,"text":"b"},{"start":1,"end":2,"text":"a"}]}`, []seg{{1, 2, "a"}, {5, 6, "b"}}},
		{"no speech", `{"text":"Thank you. Hello.","segments":[{"start":0,"end":5,"text":"Thank you.","no_speech_prob":0.61,"avg_logprob":-1.01},{"start":5,"end":6,"text":"Hello.","no_speech_prob":0.01,"avg_logprob":-0.3}]}`, []seg{{5, 6, "Hello."}}},
		{"nothing but no speech", `{"text":"Thank you.","segments":[{"start":0,"end":5,"text":"Thank you.","no_speech_prob":0.9,"avg_logprob":-1.2}],"words":[{"word":"Thank","start":0,"end":1}]}`, nil},
		{"sure of the text", `{"text":"Hello.","segments":[{"start":0,"end":5,"text":"Hello.","no_speech_prob":0.9,"avg_logprob":-0.9}]}`, []seg{{0, 5, "Hello."}}},
		{"unsure of the text, sure of speech", `{"text":"Hello.","segments":[{"start":0,"end":5,"text":"Hello.","no_speech_prob":0.5,"avg_logprob":-3}]}`, []seg{{0, 5, "Hello."}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := says(t, 200, "text/plain", tt.body) // some label it as they like
			heard, err := recognizer(t, e).Recognize(t.Context(), tone(t, 10*time.Second), engine.RecognizeOptions{})
			require.NoError(t, err)
			require.Len(t, heard.Segments, len(tt.want))
			for i, s := range heard.Segments {
				got := seg{s.Start, s.End(), s.Text}
				assert.Equal(t, tt.want[i], got)
			}
		})
	}
}

// Some servers put the words into the segments, with a probability.
func TestWordsInSegments(t *testing.T) {
	t.Parallel()
	e := says(t, 200, "application/json", `{"text":"a b","segments":[{"start":0,"end":1,"text":"a b","words":[
		{"word":" b","start":0.5,"end":20,"probability":0.25},{"word":" a","start":0,"end":0.5,"probability":1.5},{"word":" ","start":0,"end":1},{"word":"late","start":11,"end":12}]}],
		"words":[{"word":"c","start":0,"end":1}]}`)
	heard, err := recognizer(t, e).Recognize(t.Context(), tone(t, 10*time.Second), engine.RecognizeOptions{})
	require.NoError(t, err)
	require.Len(t, heard.Segments, 1)
	assert.Equal(t, []transcript.Word{{Text: "a", Start: 0, End: 0.5, Confidence: 1}, {Text: "b", Start: 0.5, End: 10, Confidence: 0.25}}, heard.Segments[0].Words)
	assert.Nil(t, heard.Segments[0].Confidence)
}

func TestLanguageOfAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct{ said, asked, want string }{
		{`"language":"english"`, "", "en"},
		{`"language":"English"`, "en-GB", "en-GB"},
		{`"language":"haitian creole"`, "", "ht"},
		{`"language":"norwegian"`, "nb", "nb"},
		{`"language":"javanese"`, "", "jv"},
		{`"language":"jw"`, "", "jv"},
		{`"language":"de"`, "", "de"},
		{`"language":"PT-br"`, "", "pt-BR"},
		{`"language":"german"`, "fr", "de"},
		{`"language":null`, "fr", "fr"},
		{`"language":"klingonese"`, "", ""},
		{`"language":"und"`, "", ""},
		{`"language":""`, "", ""},
		{`"languages":[{"code":"es"},{"code":"ca"}]`, "", "es"},
		{`"languages":[]`, "", ""},
	}
	for _, tt := range tests {
		e := says(t, 200, "application/json", `{"text":"hello",`+tt.said+`}`)
		heard, err := recognizer(t, e).Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{Language: tt.asked})
		require.NoError(t, err)
		assert.Equal(t, tt.want, heard.Language, tt.said)
	}
}

// What is no answer may be one the next time.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"empty":       "",
		"page":        "<!DOCTYPE html><html><title>Log in</title></html>",
		"plain":       "Invalid request",
		"cut off":     `{"text":"hel`,
		"other JSON":  `{"status":"ok"}`,
		"error":       `{"error":"model is loading"}`,
		"list":        `[]`,
		"odd numbers": `{"text":"a","segments":[{"start":"soon","end":1,"text":"a"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := says(t, 200, "text/html", body)
			_, err := recognizer(t, e).Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{})
			require.ErrorIs(t, err, transcript.UpstreamFailed)
			assert.Len(t, e.seen(), 1)
		})
	}
}

func TestEndlessAnswer(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 500} {
		e := serve(t, func(w http.ResponseWriter, _ int, _ request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"text":"`) // an error shows in the next line
			for blah := strings.Repeat("blah ", 1000); ; {
				if _, err := io.WriteString(w, blah); err != nil {
					return
				}
			}
		})
		_, err := recognizer(t, e).Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{})
		require.ErrorIs(t, err, transcript.UpstreamFailed)
		assert.Less(t, len(err.Error()), 500)
	}
}

// Whatever the numbers are, the segments and words lie in the audio, in order.
func TestAnyAnswerIsPutIntoTheAudio(t *testing.T) {
	t.Parallel()
	var body string
	e := serve(t, func(w http.ResponseWriter, _ int, _ request) {
		_, _ = io.WriteString(w, body) // the client reads it all
	})
	r, audio := recognizer(t, e), tone(t, time.Second)
	numbers := rapid.SampledFrom([]string{"0", "-0", "0.2", "0.5", "0.9", "1", "1.1", "-3", "1e300", "-1e300", `"0.4"`, `"Inf"`, `"-Inf"`, "null", "30"})
	rapid.Check(t, func(t *rapid.T) {
		list := func(text string) string {
			var out []string
			for range rapid.IntRange(0, 4).Draw(t, "items") {
				out = append(out, `{"start":`+numbers.Draw(t, "start")+`,"end":`+numbers.Draw(t, "end")+`,"avg_logprob":`+numbers.Draw(t, "logprob")+
					`,"no_speech_prob":`+numbers.Draw(t, "no speech")+`,"probability":`+numbers.Draw(t, "probability")+`,"`+text+`":"x"}`)
			}
			return "[" + strings.Join(out, ",") + "]"
		}
		body = `{"text":"x","segments":` + list("text") + `,"words":` + list("word") + `}`
		heard, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{})
		require.NoError(t, err)
		last := 0.0
		for _, s := range heard.Segments {
			require.False(t, math.IsNaN(s.Start+s.Duration))
			require.GreaterOrEqual(t, s.Start, last)
			require.GreaterOrEqual(t, s.Duration, 0.0)
			require.LessOrEqual(t, s.End(), 1.0005)
			last = s.Start
			if s.Confidence != nil {
				require.True(t, *s.Confidence >= 0 && *s.Confidence <= 1)
			}
			before := 0.0
			for _, w := range s.Words {
				require.True(t, before <= w.Start && w.Start <= w.End && w.End <= 1, "%v", w)
				require.True(t, w.Confidence >= 0 && w.Confidence <= 1)
				before = w.Start
			}
		}
	})
}
