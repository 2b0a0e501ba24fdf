package recognition_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// halfMinute is a chunk at the beginning of a recording.
var halfMinute = recognition.Chunk{Last: 30 * speech.SampleRate}

// inTurn makes a segment of each text, a second long.
func inTurn(texts ...string) []transcript.Segment {
	var all []transcript.Segment
	for i, text := range texts {
		all = append(all, transcript.Segment{Text: text, Start: float64(i), Duration: 1})
	}
	return all
}

func times(n int, s ...string) (all []string) {
	for range n {
		all = append(all, s...)
	}
	return all
}

func TestLoopsAreDropped(t *testing.T) {
	t.Parallel()
	verse := []string{"a b", "c", "a b", "d", "a b", "e", "a b", "f", "a b", "g", "a b", "h"}
	const long = "and that is why we have to talk about it"
	repetition := func(start, duration float64) []recognition.Gap {
		return []recognition.Gap{{Start: start, Duration: duration, Reason: recognition.ReasonRepetition}}
	}
	for name, test := range map[string]struct {
		heard, want []string
		gaps        []recognition.Gap
	}{
		"segments":            {append(times(6, "Thank you."), "Bye."), []string{"Thank you.", "Bye."}, repetition(1, 5)},
		"in other letters":    {[]string{"Thank you.", "thank you", "Thank you!", "THANK YOU", "Thank you…", "– Thank you"}, []string{"Thank you."}, repetition(1, 5)},
		"several segments":    {append([]string{"So."}, times(5, "and that is why", "we have to talk", "about it")...), []string{"So.", "and that is why", "we have to talk", "about it"}, repetition(4, 12)},
		"one segment":         {[]string{"So " + strings.Repeat(long+", ", 5) + "then"}, []string{"So " + long + ", then"}, nil},
		"cut off by the end":  {[]string{"a b a b a b a b a b a b a"}, []string{"a b"}, nil},
		"no spaces":           {times(6, "ご視聴ありがとうございました。"), []string{"ご視聴ありがとうございました。"}, repetition(1, 5)},
		"one word":            {[]string{strings.Repeat("no, ", 12)}, []string{"no,"}, nil},
		"two loops":           {append(times(6, "Thank you."), times(6, "See you.")...), []string{"Thank you.", "See you."}, append(repetition(1, 5), repetition(7, 5)...)},
		"begins like another": {append(times(6, "go on"), "go away"), []string{"go on", "go away"}, repetition(1, 5)},

		"people repeat words":   {[]string{"no no no no no no no no no no no"}, []string{"no no no no no no no no no no no"}, nil},
		"people repeat phrases": {times(5, "Let it be."), times(5, "Let it be."), nil},
		"and long ones":         {times(4, long), times(4, long), nil},
		"in any script":         {times(11, "加油"), times(11, "加油"), nil},
		"not in a row":          {verse, verse, nil},
		"no words":              {times(20, "…"), times(20, "…"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := halfMinute.Place(engine.Recognition{Segments: inTurn(test.heard...)})
			var texts []string
			for _, s := range got.Segments {
				texts = append(texts, s.Text)
			}
			assert.Equal(t, test.want, texts)
			if test.gaps != nil || len(test.heard) > 1 {
				assert.Equal(t, test.gaps, got.Gaps)
			}
		})
	}
}

// Of a segment that a loop begins in, its words and times go with the text.
func TestLoopsWithWords(t *testing.T) {
	t.Parallel()
	s := transcript.Segment{Start: 2, Duration: 14}
	for i, w := range append([]string{"Well,"}, times(6, "go", "on.")...) {
		s.Text += " " + w
		s.Words = append(s.Words, transcript.Word{Text: w, Start: 2 + float64(i), End: 2.5 + float64(i)})
	}
	got := halfMinute.Place(engine.Recognition{Segments: []transcript.Segment{s}})
	require.Len(t, got.Segments, 1)
	assert.Equal(t, transcript.Segment{Text: "Well, go on.", Start: 2, Duration: 2.5, Words: s.Words[:3]}, got.Segments[0])
	assert.Equal(t, []recognition.Gap{{Start: 5, Duration: 9.5, Reason: recognition.ReasonRepetition}}, got.Gaps)

	stored, err := json.Marshal(got)
	require.NoError(t, err)
	var back recognition.Result
	require.NoError(t, json.Unmarshal(stored, &back))
	assert.Equal(t, got, back)

	plan := recognition.Plan{Samples: halfMinute.Last * 2, Chunks: []recognition.Chunk{halfMinute, {Index: 1, First: halfMinute.Last, Last: halfMinute.Last * 2, Silent: true}}}
	whole, err := recognition.Stitch(plan, []recognition.Result{got})
	require.NoError(t, err)
	assert.Equal(t, append(got.Gaps, recognition.Gap{Start: 30, Duration: 30, Reason: recognition.ReasonSilence}), whole.Gaps)
}

// What is left is a part of what was heard, in its order and place.
func TestLoopsLeaveAPart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		heard := inTurn(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b a", "a, b", "…", "ありが", "a b c d e f g h", "A."}), 0, 29).Draw(t, "texts")...)
		got := halfMinute.Place(engine.Recognition{Segments: heard})
		n := 0
		for _, s := range got.Segments {
			for n < len(heard) && (heard[n].Start > s.Start || s.Start >= heard[n].End()) {
				n++
			}
			require.Less(t, n, len(heard), "out of order")
			require.LessOrEqual(t, s.End(), heard[n].End()+0.001)
			require.NotEmpty(t, s.Text)
			require.LessOrEqual(t, len(s.Text), len(heard[n].Text))
		}
		if len(got.Gaps) == 0 {
			require.Len(t, got.Segments, len(heard))
		}
		again := halfMinute.Place(engine.Recognition{Segments: got.Segments})
		require.Empty(t, again.Gaps, "%v", got.Segments)
	})
}
