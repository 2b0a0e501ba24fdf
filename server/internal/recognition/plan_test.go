package recognition_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

const second = time.Second

// cuts are the ends of the chunks in seconds; those of silent ones are negative.
func cuts(p recognition.Plan) []float64 {
	var out []float64
	for _, c := range p.Chunks {
		end := (c.Start() + c.Duration()).Seconds()
		if c.Silent {
			end = -end
		}
		out = append(out, end)
	}
	return out
}

func TestPlanCutsAtPauses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		pieces []piece
		want   []float64
	}{
		{"nothing", nil, nil},
		{"one chunk", []piece{{30 * second, talk}}, []float64{30}},
		{"a click", []piece{{5 * time.Millisecond, talk}}, []float64{0.005}},
		{"in the middle of the only pause", []piece{{20 * second, talk}, {second, hush}, {20 * second, talk}}, []float64{20.5, 41}},
		{"in the longest pause", []piece{{17 * second, talk}, {second, hush}, {4 * second, talk}, {2 * second, hush}, {2 * second, talk}, {second, hush}, {20 * second, talk}}, []float64{23, 47}},
		{"a pause in the first half is too early", []piece{{10 * second, talk}, {2 * second, hush}, {12 * second, talk}, {second, hush}, {20 * second, talk}}, []float64{24.5, 45}},
		{"a pause in a noisy room", []piece{{20 * second, talk}, {second, noise}, {20 * second, talk}}, []float64{20.5, 41}},
		{"no pause: the quietest point", []piece{{18 * second, talk}, {200 * time.Millisecond, -34}, {4800 * time.Millisecond, talk}, {200 * time.Millisecond, -30}, {20 * second, talk}}, []float64{18.14, 43.2}},
		{"too short a pause is no pause", []piece{{18 * second, talk}, {200 * time.Millisecond, -36}, {4800 * time.Millisecond, talk}, {160 * time.Millisecond, -60}, {20 * second, talk}}, []float64{23.1, 43.16}},
		{"in a pause, be the rest a crumb", []piece{{29 * second, talk}, {time.Second, hush}, {second, talk}}, []float64{29.5, 31}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.InDeltaSlice(t, tt.want, cuts(planOf(t, recognition.Lengths{}, tt.pieces...)), 0.05)
		})
	}
}

func TestPlanPartsLongSilences(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		pieces []piece
		want   []float64
	}{
		{"all silent", []piece{{100 * second, hush}}, []float64{-100}},
		{"silence around", []piece{{20 * second, hush}, {5 * second, talk}, {20 * second, hush}}, []float64{-19.76, 25.24, -45}},
		{"silence between", []piece{{5 * second, talk}, {20 * second, hush}, {5 * second, talk}}, []float64{5.24, -24.76, 30}},
		{"a pause of 4 s is not parted", []piece{{5 * second, talk}, {4 * second, hush}, {5 * second, talk}}, []float64{14}},
		{"a noisy room is recognized", []piece{{5 * second, talk}, {20 * second, noise}, {5 * second, talk}}, []float64{30}},
		{"a word in the silence", []piece{{20 * second, hush}, {400 * time.Millisecond, talk}, {20 * second, hush}}, []float64{-19.76, 20.64, -40.4}},
		{"a quiet recording", []piece{{5 * second, -50}, {20 * second, -80}, {5 * second, -50}}, []float64{5.24, -24.76, 30}},
		{"hiss is not a quiet recording", []piece{{30 * second, -70}}, []float64{-30}},
		{"quiet words in a loud recording", []piece{{10 * second, talk}, {10 * second, -44}, {10 * second, talk}}, []float64{30}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.InDeltaSlice(t, tt.want, cuts(planOf(t, recognition.Lengths{}, tt.pieces...)), 0.021)
		})
	}
}

func TestPlanIgnoresConstantOffset(t *testing.T) {
	t.Parallel()
	b := pcm(piece{10 * second, hush})
	for i := 0; i < len(b); i += 2 {
		binary.LittleEndian.PutUint16(b[i:], 3000)
	}
	plan, err := recognition.NewPlan(t.Context(), recording(t, b), recognition.Lengths{})
	require.NoError(t, err)
	assert.Equal(t, []float64{-10}, cuts(plan))
}

func TestPlanGapsAndSpeech(t *testing.T) {
	t.Parallel()
	plan := planOf(t, recognition.Lengths{}, piece{20 * second, hush}, piece{5 * second, talk}, piece{20 * second, hush}, piece{5 * second, talk})
	assert.Equal(t, []recognition.Gap{
		{Start: 0, Duration: 19.76, Reason: "silence"},
		{Start: 25.24, Duration: 19.52, Reason: "silence"},
	}, plan.Gaps())
	assert.Equal(t, []recognition.Chunk{plan.Chunks[1], plan.Chunks[3]}, plan.Speech())
	assert.Equal(t, 50*second, plan.Duration())

	// Where chunks are shorter than the pauses between words, silent chunks meet.
	joined := recognition.Plan{Samples: 48000, Chunks: []recognition.Chunk{
		{Index: 0, First: 0, Last: 16000, Silent: true}, {Index: 1, First: 16000, Last: 32000, Silent: true}, {Index: 2, First: 32000, Last: 48000},
	}}
	assert.Equal(t, []recognition.Gap{{Start: 0, Duration: 2, Reason: "silence"}}, joined.Gaps())
	assert.NotNil(t, recognition.Plan{}.Gaps())
}

func TestPlanSurvivesJSON(t *testing.T) {
	t.Parallel()
	plan := planOf(t, recognition.Lengths{}, piece{20 * second, hush}, piece{50 * second, talk})
	b, err := json.Marshal(plan)
	require.NoError(t, err)
	var got recognition.Plan
	require.NoError(t, json.Unmarshal(b, &got))
	assert.Equal(t, plan, got)

	b, err = json.Marshal(planOf(t, recognition.Lengths{}))
	require.NoError(t, err)
	assert.JSONEq(t, `{"samples":0,"chunks":[]}`, string(b))
}

func TestPlanStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrClosedPipe)
	_, err := recognition.NewPlan(ctx, recording(t, pcm(piece{second, talk})), recognition.Lengths{})
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

func TestLengthsFor(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 30*second, recognition.LengthsFor(engine.RecognizerInfo{}).Longest)
	assert.Equal(t, 10*second, recognition.LengthsFor(engine.RecognizerInfo{MaxChunk: 10 * second}).Longest)
	assert.Equal(t, 30*second, recognition.LengthsFor(engine.RecognizerInfo{MaxChunk: time.Hour}).Longest)
	assert.Equal(t, 5*time.Minute, recognition.LengthsFor(engine.RecognizerInfo{Chunk: 5 * time.Minute, MaxChunk: time.Hour}).Longest)
	assert.Equal(t, 10*second, recognition.LengthsFor(engine.RecognizerInfo{Chunk: 5 * time.Minute, MaxChunk: 10 * second}).Longest)
}

// drawRecording makes up a recording of up to a minute.
func drawRecording(t *rapid.T) []byte {
	pieces := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) piece {
		return piece{
			length: time.Duration(rapid.IntRange(0, 8000).Draw(t, "ms"))*time.Millisecond + time.Duration(rapid.IntRange(0, 999).Draw(t, "µs"))*time.Microsecond,
			dbfs:   rapid.SampledFrom([]float64{talk, talk, -30, -40, noise, -60, hush}).Draw(t, "dBFS"),
		}
	}), 0, 8).Draw(t, "pieces")
	return pcm(pieces...)
}

func drawPlan(t *rapid.T) (recognition.Plan, time.Duration) {
	longest := time.Duration(rapid.IntRange(1000, 12000).Draw(t, "longest")) * time.Millisecond
	window := rapid.SampledFrom([]time.Duration{0, second, 3 * second, 10 * second}).Draw(t, "window")
	plan, err := recognition.NewPlan(context.Background(), recording(t, drawRecording(t)), recognition.Lengths{Longest: longest, Window: window})
	require.NoError(t, err)
	return plan, longest
}

func TestPlanTilesAnyRecording(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan, longest := drawPlan(t)
		end := int64(0)
		for i, c := range plan.Chunks {
			require.Equal(t, i, c.Index)
			require.Equal(t, end, c.First, "chunk %d begins where the last one ended", i)
			require.Greater(t, c.Last, c.First)
			if !c.Silent {
				require.LessOrEqual(t, c.Duration(), longest)
			}
			end = c.Last
		}
		require.Equal(t, plan.Samples, end)
	})
}

// longRecording is a WAV that exists nowhere: speech and pauses by turns.
type longRecording struct{ header, minute []byte }

func newLongRecording() longRecording {
	var header bytes.Buffer
	_ = speech.WriteWAV(&header, bytes.NewReader(nil), 0) // a Buffer never fails
	copy(header.Bytes()[40:], "\xff\xff\xff\xff")         // the length of the samples is unknown
	return longRecording{
		header: header.Bytes(),
		minute: pcm(piece{40 * second, talk}, piece{20 * second, hush}),
	}
}

func (l longRecording) ReadAt(b []byte, pos int64) (int, error) {
	if pos < int64(len(l.header)) {
		return copy(b, l.header[pos:]), nil
	}
	n := 0
	for n < len(b) {
		from := (pos + int64(n) - int64(len(l.header))) % int64(len(l.minute))
		n += copy(b[n:], l.minute[from:])
	}
	return n, nil
}

func (l longRecording) plan(tb testing.TB, minutes int) recognition.Plan {
	rec, err := speech.NewRecording(l, int64(len(l.header)+minutes*len(l.minute)))
	require.NoError(tb, err)
	plan, err := recognition.NewPlan(tb.Context(), rec, recognition.Lengths{})
	require.NoError(tb, err)
	return plan
}

//nolint:paralleltest // it counts what the whole process allocates
func TestPlanNeedsLittleMemory(t *testing.T) {
	long := newLongRecording()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	plan := long.plan(t, 60)
	runtime.ReadMemStats(&after)
	assert.Equal(t, time.Hour, plan.Duration())
	assert.Len(t, plan.Gaps(), 60)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<20), "of a recording of 115 MB")
}

// BenchmarkPlan12Hours measures the longest recording that the service takes.
func BenchmarkPlan12Hours(b *testing.B) {
	long := newLongRecording()
	b.ReportAllocs()
	for b.Loop() {
		long.plan(b, 12*60)
	}
}
