package whispermodel

import (
	"cmp"
	"slices"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// shortest is what a segment lasts at least, in seconds: times are rounded to
// milliseconds.
const shortest = 0.001

// Clamp puts a span into audio that ends at end, in seconds. One that ends where it
// starts, or before, is left without length. It is not ok outside the audio.
func Clamp(from, to, end float64) (start, stop float64, ok bool) {
	if to <= from {
		return from, from, from >= 0 && from <= end
	}
	start, stop = max(from, 0), min(to, end)
	return start, stop, start < stop
}

// WithDurations sorts segments by their start, in place, and keeps the text of those
// without length: it lasts until the next one starts, the last one until
// end, which is the audio's. Where there is no time until then it joins the next
// one, the last one the one before; alone it has the whole audio.
func WithDurations(segments []transcript.Segment, end float64) []transcript.Segment {
	slices.SortStableFunc(segments, func(a, b transcript.Segment) int { return cmp.Compare(a.Start, b.Start) })
	until := end // the start of the next one
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

// join is what two segments hold together. Where two people speak it has no speaker.
func join(a, b transcript.Segment) (text string, words []transcript.Word, speaker string) {
	if a.Speaker == b.Speaker {
		speaker = a.Speaker
	}
	words = slices.Concat(a.Words, b.Words)
	slices.SortStableFunc(words, func(a, b transcript.Word) int { return cmp.Compare(a.Start, b.Start) })
	return a.Text + " " + b.Text, words, speaker
}
