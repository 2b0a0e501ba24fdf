package recognition_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// tenToTwenty is a chunk from second 10 to second 20.
var tenToTwenty = recognition.Chunk{Index: 3, First: 160000, Last: 320000}

func TestPlace(t *testing.T) {
	t.Parallel()
	seg := func(text string, start, duration float64) transcript.Segment {
		return transcript.Segment{Text: text, Start: start, Duration: duration}
	}
	tests := []struct {
		name     string
		in, want []transcript.Segment
	}{
		{"nothing", nil, []transcript.Segment{}},
		{"offset", []transcript.Segment{seg("a", 1, 2)}, []transcript.Segment{seg("a", 11, 2)}},
		{"rounded", []transcript.Segment{seg("a", 1.00049, 1.0004)}, []transcript.Segment{seg("a", 11, 1.001)}},
		{"trimmed", []transcript.Segment{seg(" a b\n", 1, 1)}, []transcript.Segment{seg("a b", 11, 1)}},
		{"sorted", []transcript.Segment{seg("b", 5, 1), seg("a", 1, 1)}, []transcript.Segment{seg("a", 11, 1), seg("b", 15, 1)}},
		{"ends after the chunk", []transcript.Segment{seg("a", 9, 5)}, []transcript.Segment{seg("a", 19, 1)}},
		{"starts before it", []transcript.Segment{seg("a", -1, 3)}, []transcript.Segment{seg("a", 10, 2)}},
		{"after the chunk", []transcript.Segment{seg("a", 10, 1)}, []transcript.Segment{}},
		{"before the chunk", []transcript.Segment{seg("a", -5, 1)}, []transcript.Segment{}},
		{"no text", []transcript.Segment{seg(" \n", 1, 1)}, []transcript.Segment{}},
		{"no length", []transcript.Segment{seg("a", 1, 0)}, []transcript.Segment{}},
		{"negative length", []transcript.Segment{seg("a", 1, -1)}, []transcript.Segment{}},
		{"no number", []transcript.Segment{seg("a", math.NaN(), 1), seg("a", 1, math.NaN()), seg("a", math.Inf(1), 1)}, []transcript.Segment{}},
		{"without end", []transcript.Segment{seg("a", 1, math.Inf(1))}, []transcript.Segment{seg("a", 11, 9)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := tenToTwenty.Place(engine.Recognition{Segments: tt.in, Language: "en"})
			assert.Equal(t, recognition.Result{Chunk: 3, Language: "en", Segments: tt.want}, got)
		})
	}
}

func TestPlaceKeepsTheRest(t *testing.T) {
	t.Parallel()
	confidence := 0.5
	got := tenToTwenty.Place(engine.Recognition{Segments: []transcript.Segment{{
		Text: "a b", Start: 1, Duration: 2, Speaker: "S1", Confidence: &confidence,
		Words: []transcript.Word{
			{Text: "a", Start: 1.0001, End: 1.5, Confidence: 0.4}, {Text: " ", Start: 1.5, End: 1.6},
			{Text: "b", Start: 1.6, End: 12, Confidence: 0.6}, {Text: "outside", Start: 11, End: 12},
		},
	}}})
	want := recognition.Result{Chunk: 3, Segments: []transcript.Segment{{
		Text: "a b", Start: 11, Duration: 2, Speaker: "S1", Confidence: &confidence,
		Words: []transcript.Word{{Text: "a", Start: 11, End: 11.5, Confidence: 0.4}, {Text: "b", Start: 11.6, End: 20, Confidence: 0.6}},
	}}}
	require.Equal(t, want, got)

	b, err := json.Marshal(got)
	require.NoError(t, err)
	var back recognition.Result
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, want, back, "JSON keeps the words too: %s", b)
	require.Error(t, json.Unmarshal([]byte(`{"chunk":"one"}`), new(recognition.Result)))
}

func TestStitch(t *testing.T) {
	t.Parallel()
	plan := recognition.Plan{Samples: 48000, Chunks: []recognition.Chunk{
		{Index: 0, First: 0, Last: 16000}, {Index: 1, First: 16000, Last: 32000, Silent: true}, {Index: 2, First: 32000, Last: 48000},
	}}
	first := recognition.Result{Chunk: 0, Language: "de", Segments: []transcript.Segment{{Text: "a", Start: 0, Duration: 0.3}}}
	last := recognition.Result{Chunk: 2, Language: "en", Segments: []transcript.Segment{{Text: "b", Start: 2, Duration: 0.5}}}

	got, err := recognition.Stitch(plan, []recognition.Result{last, first})
	require.NoError(t, err)
	assert.Equal(t, recognition.Transcription{
		Segments: []transcript.Segment{first.Segments[0], last.Segments[0]},
		Language: "en",
		Gaps:     []recognition.Gap{{Start: 1, Duration: 1, Reason: "silence"}},
	}, got)

	for name, tt := range map[string]struct {
		results []recognition.Result
		want    string
	}{
		"missing":      {[]recognition.Result{first}, "chunk 2 has no result"},
		"twice":        {[]recognition.Result{first, last, first}, "chunk 0 has two results"},
		"no such":      {[]recognition.Result{first, last, {Chunk: 3}}, "result of chunk 3 of 3"},
		"no such, too": {[]recognition.Result{{Chunk: -1}}, "result of chunk -1 of 3"},
	} {
		_, err := recognition.Stitch(plan, tt.results)
		require.ErrorContains(t, err, tt.want, name)
	}
}

func TestStitchLanguage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		languages []string // of one second each
		want      string
	}{
		{"none", nil, ""},
		{"unknown", []string{"", ""}, ""},
		{"known before unknown", []string{"", "", "fi"}, "fi"},
		{"most of the text", []string{"fi", "en", "en"}, "en"},
		{"a tie", []string{"fi", "en"}, "en"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var plan recognition.Plan
			var results []recognition.Result
			for i, tag := range tt.languages {
				plan.Chunks = append(plan.Chunks, recognition.Chunk{Index: i, First: int64(i) * 16000, Last: int64(i+1) * 16000})
				results = append(results, recognition.Result{Chunk: i, Language: tag, Segments: []transcript.Segment{{Text: "a", Start: float64(i), Duration: 1}}})
			}
			got, err := recognition.Stitch(plan, results)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got.Language)
			assert.NotNil(t, got.Segments)
			assert.NotNil(t, got.Gaps)
		})
	}
}

func drawSegment(t *rapid.T) transcript.Segment {
	seconds := rapid.Float64Range(-5, 20)
	s := transcript.Segment{
		Text:     rapid.SampledFrom([]string{"word", " two words ", ""}).Draw(t, "text"),
		Start:    seconds.Draw(t, "start"),
		Duration: seconds.Draw(t, "duration"),
	}
	s.Words = []transcript.Word{{Text: "word", Start: s.Start, End: s.End()}}
	return s
}

func TestStitchAnything(t *testing.T) {
	t.Parallel()
	const ulp = 1e-9 // these are sums of two rounded floats
	rapid.Check(t, func(t *rapid.T) {
		plan, _ := drawPlan(t)
		var results []recognition.Result
		for _, c := range plan.Speech() {
			r := c.Place(engine.Recognition{Segments: rapid.SliceOfN(rapid.Custom(drawSegment), 0, 4).Draw(t, "segments")})
			from, to := c.Start().Seconds(), (c.Start() + c.Duration()).Seconds()
			for _, s := range r.Segments {
				require.GreaterOrEqual(t, s.Start, from-ulp)
				require.LessOrEqual(t, s.End(), to+ulp)
				require.Positive(t, s.Duration)
				require.InDelta(t, math.Round(s.Start*1000), s.Start*1000, 1e-6, "three decimals")
				for _, w := range s.Words {
					require.GreaterOrEqual(t, w.Start, from-ulp)
					require.LessOrEqual(t, w.End, to+ulp)
				}
			}
			results = append(results, r)
		}
		text, err := recognition.Stitch(plan, results)
		require.NoError(t, err)
		for i := 1; i < len(text.Segments); i++ {
			require.LessOrEqual(t, text.Segments[i-1].Start, text.Segments[i].Start)
		}
		for _, g := range text.Gaps {
			for _, s := range text.Segments {
				require.True(t, s.End() <= g.Start+ulp || s.Start >= g.Start+g.Duration-ulp, "%v lies in %v", s, g)
			}
		}
	})
}
