package whispermodel_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// seg is a segment with a word at its start.
func seg(text string, from, to float64) transcript.Segment {
	return transcript.Segment{Text: text, Start: from, Duration: to - from, Words: []transcript.Word{{Text: text, Start: from, End: to}}}
}

// The audio is 10 s long.
func TestWithDurations(t *testing.T) {
	t.Parallel()
	type place struct {
		text     string
		from, to float64
	}
	for name, test := range map[string]struct {
		heard []transcript.Segment
		want  []place
	}{
		"nothing":              {nil, nil},
		"with length":          {[]transcript.Segment{seg("a", 1, 2), seg("b", 2, 3)}, []place{{"a", 1, 2}, {"b", 2, 3}}},
		"until the next":       {[]transcript.Segment{seg("a", 1, 2), seg("b", 3, 3), seg("c", 5, 6)}, []place{{"a", 1, 2}, {"b", 3, 5}, {"c", 5, 6}}},
		"until the end":        {[]transcript.Segment{seg("a", 1, 2), seg("b", 3, 3)}, []place{{"a", 1, 2}, {"b", 3, 10}}},
		"between two":          {[]transcript.Segment{seg("a", 1, 2), seg("b", 2, 2), seg("c", 2, 3)}, []place{{"a", 1, 2}, {"b c", 2, 3}}},
		"too little to last":   {[]transcript.Segment{seg("a", 1, 1), seg("b", 1.0004, 3)}, []place{{"a b", 1.0004, 3}}},
		"several at one place": {[]transcript.Segment{seg("a", 1, 1), seg("b", 1, 1), seg("c", 1, 1)}, []place{{"a b c", 1, 10}}},
		"at the end":           {[]transcript.Segment{seg("a", 1, 2), seg("b", 10, 10), seg("c", 10, 10)}, []place{{"a b c", 1, 2}}},
		"alone at the end":     {[]transcript.Segment{seg("a", 10, 10), seg("b", 10, 10)}, []place{{"a b", 0, 10}}},
		"out of order":         {[]transcript.Segment{seg("b", 5, 5), seg("a", 1, 2)}, []place{{"a", 1, 2}, {"b", 5, 10}}},
	} {
		got := whispermodel.WithDurations(test.heard, 10)
		require.Len(t, got, len(test.want), name)
		for i, s := range got {
			at := place{s.Text, s.Start, s.End()}
			assert.Equal(t, test.want[i], at, name)
			var words []string
			for _, w := range s.Words {
				words = append(words, w.Text)
			}
			assert.Equal(t, s.Text, strings.Join(words, " "), name)
		}
	}
}

// Every text is in the result, in a segment that lasts, within the audio.
func TestWithDurationsLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		second := rapid.SampledFrom([]float64{0, 0.0005, 1, 1.0005, 2, 5, 9.9995, 10})
		var heard []transcript.Segment
		for i := range rapid.IntRange(0, 6).Draw(t, "segments") {
			from, to := second.Draw(t, "from"), second.Draw(t, "to")
			if from, to, ok := whispermodel.Clamp(from, to, 10); ok {
				heard = append(heard, seg(string(rune('a'+i)), from, to))
			}
		}
		n, texts, last := len(heard), 0, 0.0
		for _, s := range whispermodel.WithDurations(heard, 10) {
			texts += len(strings.Fields(s.Text))
			require.GreaterOrEqual(t, s.Duration, 0.001)
			require.GreaterOrEqual(t, s.Start, last)
			require.LessOrEqual(t, s.End(), 10+1e-9)
			last = s.Start
		}
		require.Equal(t, n, texts)
	})
}

func TestClamp(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]float64][2]float64{
		{1, 2}:   {1, 2},
		{-1, 2}:  {0, 2},
		{9, 12}:  {9, 10},
		{3, 3}:   {3, 3},
		{7, 6}:   {7, 7},
		{10, 10}: {10, 10},
		{0, 0}:   {0, 0},
	} {
		from, to, ok := whispermodel.Clamp(in[0], in[1], 10)
		assert.True(t, ok, in)
		assert.Equal(t, want, [2]float64{from, to}, in)
	}
	for _, in := range [][2]float64{{10, 11}, {11, 11}, {12, 11}, {-2, -1}, {-1, 0}, {-1, -1}} {
		_, _, ok := whispermodel.Clamp(in[0], in[1], 10)
		assert.False(t, ok, in)
	}
}
