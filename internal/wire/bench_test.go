package wire_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// long is an hour and a half of talk: 1,500 segments.
func long() *transcript.Transcript {
	t := sample()
	t.Segments = nil
	for i := range 1500 {
		t.Segments = append(t.Segments, transcript.Segment{
			Text:  fmt.Sprintf("and this is, as \"they\" say, sentence number %d of the whole thing", i),
			Start: float64(i)*3.6 + 0.123, Duration: 3.517,
		})
	}
	return t
}

func TestSegmentsAllocateNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun refuses to count beside other tests
	segs := long().Segments
	buf := wire.AppendSegments(nil, segs)
	assert.Zero(t, testing.AllocsPerRun(10, func() { buf = wire.AppendSegments(buf[:0], segs) }))
}

// BenchmarkSegments compares the first rendering of a text with encoding/json. The two take
// turns.
func BenchmarkSegments(b *testing.B) {
	row := ratio.Row{Name: "first render of 1500 segments, of encoding/json", AtMost: 0.45}
	if !ratio.Wanted(row.Name) {
		return
	}
	segs := long().Segments
	buf := wire.AppendSegments(nil, segs)
	for b.Loop() {
		const rounds, renders = 21, 20
		for range rounds {
			began := time.Now()
			for range renders {
				buf = wire.AppendSegments(buf[:0], segs)
			}
			ours := time.Since(began)
			began = time.Now()
			for range renders {
				if _, err := json.Marshal(segs); err != nil {
					b.Fatal(err)
				}
			}
			row.Ratios = append(row.Ratios, float64(ours)/float64(time.Since(began)))
		}
		row.Report(b)
	}
}

// BenchmarkResult is an answer from the cache, with segments that were rendered
// when they were published.
func BenchmarkResult(b *testing.B) {
	r := &transcript.Result{Transcript: long(), Cached: true, Language: "en"}
	segments := wire.AppendSegments(nil, r.Transcript.Segments)
	b.Run("rendered", func(b *testing.B) {
		r := *r
		head := *r.Transcript
		head.Segments = nil
		r.Transcript = &head
		buf, err := wire.AppendResult(nil, &r, segments)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = wire.AppendResult(buf[:0], &r, segments) // it went well above
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(r); err != nil {
				b.Fatal(err)
			}
		}
	})
}
