package speech_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func word(text string, start, end float64) transcript.Word {
	return transcript.Word{Text: text, Start: start, End: end}
}

func texts(segments []transcript.Segment) []string {
	out := []string{}
	for _, s := range segments {
		out = append(out, s.Text)
	}
	return out
}

func TestSegments(t *testing.T) {
	t.Parallel()
	forty := strings.Repeat("ä", 40) // characters count, not bytes
	tests := []struct {
		name  string
		words []transcript.Word
		want  []string
	}{
		{"nothing", nil, []string{}},
		{"together", []transcript.Word{word("a", 0, 1), word("b", 1.5, 2)}, []string{"a b"}},
		{"a pause", []transcript.Word{word("a", 0, 1), word("b", 1.51, 2)}, []string{"a", "b"}},
		{"8 s fit", []transcript.Word{word("a", 0, 4), word("b", 4, 8)}, []string{"a b"}},
		{"more do not", []transcript.Word{word("a", 0, 4), word("b", 4, 8.01)}, []string{"a", "b"}},
		{"80 characters fit", []transcript.Word{word(forty, 0, 1), word(forty[2:], 1, 2)}, []string{forty + " " + forty[2:]}},
		{"81 do not", []transcript.Word{word(forty, 0, 1), word(forty, 1, 2)}, []string{forty, forty}},
		{"a word alone may be long", []transcript.Word{word("a", 0, 9), word("b", 9, 10)}, []string{"a", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, texts(speech.Segments(tt.words)))
		})
	}
}

func TestSegmentsCarryTimesAndConfidence(t *testing.T) {
	t.Parallel()
	words := []transcript.Word{{Text: "a", Start: 0.1, End: 0.2, Confidence: 0.5}, {Text: "b", Start: 0.2, End: 0.4, Confidence: 1}}
	mean := 0.75
	assert.Equal(t, []transcript.Segment{{Text: "a b", Start: 0.1, Duration: 0.3, Confidence: &mean, Words: words}}, speech.Segments(words))
	assert.Nil(t, speech.Segments([]transcript.Word{word("a", 0, 1)})[0].Confidence)
}

func TestSegmentsOfAnyWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var words []transcript.Word
		var all []string
		now := 0.0
		for range rapid.IntRange(0, 60).Draw(t, "words") {
			now += rapid.Float64Range(0, 0.8).Draw(t, "pause")
			w := word(rapid.StringMatching(`[a-zéß]{1,20}`).Draw(t, "word"), now, now+rapid.Float64Range(0, 3).Draw(t, "length"))
			now = w.End
			words, all = append(words, w), append(all, w.Text)
		}
		segments := speech.Segments(words)
		require.Equal(t, strings.Join(all, " "), strings.Join(texts(segments), " "))
		for _, s := range segments {
			require.LessOrEqual(t, s.Duration, 8.0005)
			require.LessOrEqual(t, utf8.RuneCountInString(s.Text), 80)
			for i := 1; i < len(s.Words); i++ {
				require.LessOrEqual(t, s.Words[i].Start-s.Words[i-1].End, 0.5)
			}
		}
	})
}
