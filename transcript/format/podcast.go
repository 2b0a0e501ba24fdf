package format

import (
	"encoding/json"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Podcast is a transcript in the JSON that podcasts publish with the tag
// podcast:transcript (Podcasting 2.0).
type Podcast struct {
	Version  string           `json:"version"`  // version of the file format: "1.0.0"
	Segments []PodcastSegment `json:"segments"` // in the order of time
}

// PodcastSegment is a line of a [Podcast].
type PodcastSegment struct {
	Speaker   string  `json:"speaker,omitempty"`     // the speaker's name; empty if not known
	StartTime float64 `json:"startTime" minimum:"0"` // seconds from the start of the recording
	EndTime   float64 `json:"endTime" minimum:"0"`   // seconds from the start of the recording
	Body      string  `json:"body"`                  // the spoken text, in one line
}

const podcastVersion = "1.0.0"

// AppendPodcast appends segs as the JSON of a [Podcast] and returns the extended buffer. Each
// segment with text is a line, with its speaker if one is known. Times are rounded to
// milliseconds, and white space is folded as in [AppendText].
func AppendPodcast(dst []byte, segs []transcript.Segment) []byte {
	file := Podcast{podcastVersion, []PodcastSegment{}}
	for i := range segs {
		s := &segs[i]
		if !hasText(s.Text) {
			continue
		}
		start := wire.Milliseconds(s.Start)
		end := start + wire.Milliseconds(s.Duration)
		file.Segments = append(file.Segments, PodcastSegment{
			Speaker: inOneLine(s.Speaker), StartTime: float64(start) / 1000, EndTime: float64(end) / 1000, Body: inOneLine(s.Text),
		})
	}
	b, _ := json.Marshal(file) // it consists of strings and finite numbers, so encoding never fails
	return append(dst, b...)
}

// inOneLine returns a text in one line, with its white space folded.
func inOneLine(text string) string {
	line, _ := appendClean(nil, strings.TrimSpace(text), vtt)
	join(line)
	return string(line)
}
