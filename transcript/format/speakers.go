package format

import (
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// NameSpeakers returns segs with the speaker's name before the text, "Ada: Hello.",
// wherever another one begins to speak, for forms that have no speakers of their own:
// plain text and SubRip. A segment without a known speaker gets no name, and whoever
// speaks after it is named again. Times and speakers stay; segs is left as it is.
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
