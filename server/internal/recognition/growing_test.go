package recognition_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
)

// TestGrowingRecordings: whatever a recording holds and however it grows, its chunks cover it
// from the first sample to the last, and stay as they were once told.
func TestGrowingRecordings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var pieces []piece
		for range rapid.IntRange(0, 12).Draw(t, "pieces") {
			pieces = append(pieces, piece{
				time.Duration(rapid.IntRange(1, 9000).Draw(t, "milliseconds")) * time.Millisecond,
				rapid.SampledFrom([]float64{talk, talk, noise, -34, hush}).Draw(t, "loudness"),
			})
		}
		all := pcm(pieces...)
		lengths := recognition.Lengths{Longest: time.Duration(rapid.IntRange(1, 12).Draw(t, "longest")) * second}
		g := recognition.NewGrowing(lengths)
		var told []recognition.Chunk
		for at := 0; at < len(all); at += 2 * rapid.IntRange(1, 100_000).Draw(t, "grown") {
			more, err := g.Cut(t.Context(), recording(t, all[:at]))
			require.NoError(t, err)
			told = append(told, more...)
		}
		plan, err := g.End(t.Context(), recording(t, all))
		require.NoError(t, err)
		require.Equal(t, append([]recognition.Chunk{}, told...), append([]recognition.Chunk{}, plan.Chunks[:len(told)]...))
		assert.Equal(t, int64(len(all)/2), plan.Samples)
		end := int64(0)
		for i, c := range plan.Chunks {
			assert.Equal(t, i, c.Index)
			assert.Equal(t, end, c.First)
			assert.Greater(t, c.Last, c.First)
			assert.True(t, c.Silent || c.Duration() <= lengths.Longest, "chunk %d lasts %v", i, c.Duration())
			end = c.Last
		}
		assert.Equal(t, plan.Samples, end)
	})
}

// TestGrowingCutsEarly: a chunk is told when five seconds have come after the longest one, and
// not before.
func TestGrowingCutsEarly(t *testing.T) {
	t.Parallel()
	all := pcm(piece{20 * second, talk}, piece{second, hush}, piece{8 * second, talk}, piece{second, hush}, piece{20 * second, talk},
		piece{30 * second, hush}, piece{40 * second, talk})
	g := recognition.NewGrowing(recognition.Lengths{})
	told := map[int][]float64{}
	for sec := 1; 32000*sec <= len(all); sec++ {
		chunks, err := g.Cut(t.Context(), recording(t, all[:32000*sec]))
		require.NoError(t, err)
		if len(chunks) > 0 {
			told[sec] = cuts(recognition.Plan{Chunks: chunks})
		}
	}
	assert.Equal(t, map[int][]float64{35: {29.5}, 65: {50.24}, 86: {-79.76}, 115: {107.44}}, told)
	plan, err := g.End(t.Context(), recording(t, all))
	require.NoError(t, err)
	assert.InDelta(t, 120, plan.Duration().Seconds(), 0.01)
}
