package speech

import (
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	segmentSeconds = 8.0
	segmentRunes   = 80
	segmentPause   = 0.5 // seconds
)

// Segments makes segments from words, for recognizers that return only words. A segment ends at
// a pause of more than 0.5 s, and before it would exceed 8 s or 80 characters; a single word
// may exceed both. Its confidence is the mean of its words' confidences, if they have any.
// words must be sorted by start.
func Segments(words []transcript.Word) []transcript.Segment {
	segments := []transcript.Segment{}
	first, runes := 0, 0
	for i, w := range words {
		length := utf8.RuneCountInString(w.Text)
		if i > first && (w.Start-words[i-1].End > segmentPause ||
			w.End-words[first].Start > segmentSeconds ||
			runes+1+length > segmentRunes) {
			segments = append(segments, segmentOf(words[first:i]))
			first, runes = i, 0
		}
		if i > first {
			runes++ // the space
		}
		runes += length
	}
	if first < len(words) {
		segments = append(segments, segmentOf(words[first:]))
	}
	return segments
}

func segmentOf(words []transcript.Word) transcript.Segment {
	text, end, sum := "", 0.0, 0.0
	for i, w := range words {
		if i > 0 {
			text += " "
		}
		text += w.Text
		end = max(end, w.End)
		sum += w.Confidence
	}
	s := transcript.Segment{Text: text, Start: words[0].Start, Words: words}
	s.Duration = millis(end - s.Start)
	if sum > 0 {
		mean := millis(sum / float64(len(words)))
		s.Confidence = &mean
	}
	return s
}
