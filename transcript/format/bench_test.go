package format_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
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
	buf := format.AppendSegments(nil, segs)
	assert.Zero(t, testing.AllocsPerRun(10, func() { buf = format.AppendSegments(buf[:0], segs) }))
	text := format.AppendText(nil, segs, true)
	assert.Zero(t, testing.AllocsPerRun(10, func() { text = format.AppendText(text[:0], segs, true) }))
}

func TestCuesAllocateNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun refuses to count beside other tests
	for name, segs := range map[string][]transcript.Segment{"lines": long().Segments, "hard": hard()[:50]} {
		for kind, write := range cueWriters {
			buf := write(nil, segs)
			assert.Zero(t, testing.AllocsPerRun(10, func() { buf = write(buf[:0], segs) }), name+" "+kind)
		}
	}
	talk := long()
	talk.DurationSec = nil // its text costs an allocation
	buf := format.AppendMarkdown(nil, talk, true)
	assert.Zero(t, testing.AllocsPerRun(10, func() { buf = format.AppendMarkdown(buf[:0], talk, true) }))
}

var cueWriters = map[string]func([]byte, []transcript.Segment) []byte{"srt": format.AppendSRT, "vtt": format.AppendVTT}

// hard is an hour of long segments with speakers, references and characters of
// several runes.
func hard() []transcript.Segment {
	segs := long().Segments
	for i := range segs {
		segs[i].Text += " & <then> 東京で e\u0301 👩‍👩‍👧, " + segs[i].Text
		segs[i].Speaker = "Ada & Co"
	}
	return segs
}

// BenchmarkCues writes short lines (a line each), long ones (two each) and hard
// ones.
func BenchmarkCues(b *testing.B) {
	short := long().Segments
	for i := range short {
		short[i].Text = short[i].Text[:40]
	}
	for name, segs := range map[string][]transcript.Segment{"short": short, "long": long().Segments, "hard": hard()} {
		for kind, write := range cueWriters {
			b.Run(kind+"/"+name, func(b *testing.B) {
				buf := write(nil, segs)
				b.SetBytes(int64(len(buf)))
				b.ReportAllocs()
				for b.Loop() {
					buf = write(buf[:0], segs)
				}
			})
		}
	}
}

func BenchmarkMarkdown(b *testing.B) {
	tr := long()
	buf := format.AppendMarkdown(nil, tr, true)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = format.AppendMarkdown(buf[:0], tr, true)
	}
}

// BenchmarkSegments compares the two ways of rendering.
func BenchmarkSegments(b *testing.B) {
	segs := long().Segments
	b.Run("append", func(b *testing.B) {
		buf := format.AppendSegments(nil, segs)
		b.SetBytes(int64(len(buf)))
		b.ReportAllocs()
		for b.Loop() {
			buf = format.AppendSegments(buf[:0], segs)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(segs); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkResult is an answer from the cache, with segments that were rendered
// when they were published.
func BenchmarkResult(b *testing.B) {
	r := &transcript.Result{Transcript: long(), Cached: true, Language: "en"}
	segments := format.AppendSegments(nil, r.Transcript.Segments)
	b.Run("rendered", func(b *testing.B) {
		r := *r
		head := *r.Transcript
		head.Segments = nil
		r.Transcript = &head
		buf, err := format.AppendResult(nil, &r, segments)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = format.AppendResult(buf[:0], &r, segments) // it went well above
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

func BenchmarkText(b *testing.B) {
	segs := long().Segments
	buf := format.AppendText(nil, segs, true)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = format.AppendText(buf[:0], segs, true)
	}
}
