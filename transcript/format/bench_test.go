package format_test

import (
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

func TestTextAllocatesNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun refuses to count beside other tests
	segs := long().Segments
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

func BenchmarkText(b *testing.B) {
	segs := long().Segments
	buf := format.AppendText(nil, segs, true)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = format.AppendText(buf[:0], segs, true)
	}
}
