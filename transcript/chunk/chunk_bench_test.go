package chunk_test

import (
	"strings"
	"testing"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/chunk"
)

// The time per segment must not grow with their number, nor that per character with the
// length of a text that has no place to cut it.
func BenchmarkChunks(b *testing.B) {
	spoken := transcript.Segment{Text: "and so we went down to the sea. It was", Duration: 2.5}
	for _, c := range []struct {
		name     string
		segment  transcript.Segment
		segments int
	}{
		{"spoken/segments=1500", spoken, 1500},
		{"spoken/segments=100000", spoken, 100_000},
		{"spoken/segments=1000000", spoken, 1_000_000},
		{"unpunctuated/segments=100000", transcript.Segment{Text: "and so we went down to the sea it was", Duration: 2.5}, 100_000},
		{"chinese/segments=100000", transcript.Segment{Text: "我们去了海边。天气很好", Duration: 2.5}, 100_000},
		{"oneline/characters=400000", transcript.Segment{Text: strings.Repeat("so ", 133_333), Duration: 3600}, 1},
		{"oneline/characters=4000000", transcript.Segment{Text: strings.Repeat("so ", 1_333_333), Duration: 3600}, 1},
		{"oneword/characters=400000", transcript.Segment{Text: strings.Repeat("é", 400_000), Duration: 3600}, 1},
		{"oneword/characters=4000000", transcript.Segment{Text: strings.Repeat("é", 4_000_000), Duration: 3600}, 1},
		{"brackets/characters=4000000", transcript.Segment{Text: "A." + strings.Repeat(")", 4_000_000), Duration: 3600}, 1},
		{"marks/characters=1", transcript.Segment{Text: "a" + strings.Repeat("\u0301", 4_000_000), Duration: 3600}, 1},
	} {
		t := &transcript.Transcript{Segments: make([]transcript.Segment, c.segments)}
		for i := range t.Segments {
			t.Segments[i] = c.segment
			t.Segments[i].Start = float64(i) * 2.5
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(c.segments * len(c.segment.Text)))
			b.ReportAllocs()
			for b.Loop() {
				for range chunk.Cut(t, transcript.ChunkOptions{OverlapChars: 200}) { //nolint:revive // only the time counts
				}
			}
		})
	}
}
