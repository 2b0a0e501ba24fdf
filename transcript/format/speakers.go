package format

import (
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// NameSpeakers returns a copy of segs in which the speaker's name stands before the
// text, as in "Ada: Hello.", each time the speaker changes. Use it for formats without
// speakers: plain text and SubRip. A segment without a known speaker gets no name, and
// the next speaker is named again. NameSpeakers does not change segs.
func NameSpeakers(segs []transcript.Segment) []transcript.Segment {
	named := make([]transcript.Segment, len(segs))
	speaking := ""
	for i, s := range segs {
		if hasText(s.Text) {
			speaker := strings.Join(strings.Fields(s.Speaker), " ")
			if speaker != "" && speaker != speaking {
				s.Text = speaker + ": " + strings.TrimSpace(s.Text)
			}
			speaking = speaker
		}
		named[i] = s
	}
	return named
}
