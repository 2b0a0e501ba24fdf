package whispermodel

import (
	"cmp"
	"slices"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// shortest is the least duration of a segment, in seconds: times are rounded to milliseconds.
const shortest = 0.001

// Clamp cuts a span to audio that ends at end, in seconds. A span that ends at its start or
// earlier gets no length. ok is false for a span outside the audio.
func Clamp(from, to, end float64) (start, stop float64, ok bool) {
	if to <= from {
		return from, from, from >= 0 && from <= end
	}
	start, stop = max(from, 0), min(to, end)
	return start, stop, start < stop
}

// WithDurations sorts segments by their start, in place, and keeps the text of segments without
// length. Such a segment lasts until the next segment starts, and the last segment until end,
// the end of the audio. If no time is left until then, the segment joins the next segment, or
// the previous one if it is the last. A single segment gets the whole audio.
func WithDurations(segments []transcript.Segment, end float64) []transcript.Segment {
	slices.SortStableFunc(segments, func(a, b transcript.Segment) int { return cmp.Compare(a.Start, b.Start) })
	until := end // the start of the next segment
	for i := len(segments) - 1; i >= 0; i-- {
		s := &segments[i]
		if s.Duration < shortest {
			s.Duration = until - s.Start
		}
		switch {
		case s.Duration >= shortest:
			until = s.Start
			continue
		case i+1 < len(segments):
			next := &segments[i+1]
			next.Text, next.Words, next.Speaker = join(*s, *next)
		case i > 0:
			last := &segments[i-1]
			last.Text, last.Words, last.Speaker = join(*last, *s)
		default:
			s.Start, s.Duration = 0, end
			continue
		}
		segments = slices.Delete(segments, i, i+1)
	}
	return segments
}

// join returns the combined contents of two segments. It has no speaker if their speakers
// differ.
func join(a, b transcript.Segment) (text string, words []transcript.Word, speaker string) {
	if a.Speaker == b.Speaker {
		speaker = a.Speaker
	}
	words = slices.Concat(a.Words, b.Words)
	slices.SortStableFunc(words, func(a, b transcript.Word) int { return cmp.Compare(a.Start, b.Start) })
	return a.Text + " " + b.Text, words, speaker
}
