package enginetest

import (
	"math"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Sample is a recording of known text. It should last some seconds: the suite also recognizes
// the first sample several times at once, and cancels it.
type Sample struct {
	Path     string // a WAV of 16 kHz, mono, 16 bit
	Language string // the requested language tag; may be empty
	Text     string // the spoken text
	// MaxErrorRate is the highest acceptable word error rate, without regard to case and
	// punctuation; 0 means that every word must be right.
	MaxErrorRate float64
}

func (s Sample) audio(t T) engine.Audio {
	t.Helper()
	rec, err := speech.Open(s.Path)
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	return engine.Audio{Path: s.Path, Duration: rec.Duration()}
}

// judge fails unless heard is a recognition of the sample.
func (s Sample) judge(t T, audio engine.Audio, heard engine.Recognition) {
	t.Helper()
	end := audio.Duration.Seconds()
	var text []string
	for i, seg := range heard.Segments {
		text = append(text, seg.Text)
		assert.NotEmpty(t, strings.TrimSpace(seg.Text), "segment %d has no text", i)
		assert.True(t, within(seg.Start, seg.End(), end), "segment %d lies outside the audio of %v s: %v to %v s", i, end, seg.Start, seg.End())
		assert.True(t, i == 0 || heard.Segments[i-1].Start <= seg.Start, "segment %d starts before the last one", i)
		if seg.Confidence != nil {
			assert.True(t, *seg.Confidence >= 0 && *seg.Confidence <= 1, "segment %d has confidence %v", i, *seg.Confidence)
		}
		judgeWords(t, i, seg.Words, end)
	}
	rate := speechtest.WordErrorRate(s.Text, strings.Join(text, " "))
	assert.LessOrEqual(t, rate, s.MaxErrorRate, "word error rate; said: %q, heard: %q", s.Text, text)
	if s.Language != "" && heard.Language != "" {
		assert.Equal(t, primary(s.Language), primary(heard.Language), "language of what was heard")
	}
}

func judgeWords(t T, segment int, words []transcript.Word, end float64) {
	t.Helper()
	for i, w := range words {
		assert.NotEmpty(t, strings.TrimSpace(w.Text), "segment %d, word %d has no text", segment, i)
		assert.True(t, within(w.Start, w.End, end), "segment %d, word %q lies outside the audio: %v to %v s", segment, w.Text, w.Start, w.End)
		assert.True(t, i == 0 || words[i-1].Start <= w.Start, "segment %d, word %q starts before the last one", segment, w.Text)
		assert.True(t, w.Confidence >= 0 && w.Confidence <= 1, "segment %d, word %q has confidence %v", segment, w.Text, w.Confidence)
	}
}

// within reports whether a span lies in the audio; false for not-a-number.
func within(from, to, end float64) bool {
	const rounding = 0.001
	return !math.IsNaN(from+to) && from >= 0 && from <= to && to <= end+rounding
}

func primary(tag string) string {
	tag, _, _ = strings.Cut(tag, "-")
	return strings.ToLower(tag)
}
