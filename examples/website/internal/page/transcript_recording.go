package page

import (
	"net/url"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// recording is the path in the API of a kept recording.
type recording string

// Source returns the address of the copy that browsers play.
func (r recording) Source() string {
	return "/web" + string(r) + "?copy=" + string(library.PlayingCopy)
}

// Speeds returns the speeds at which the page plays a recording.
func (recording) Speeds() []float64 { return []float64{0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3} }

// recordingOf returns the recording of a text; empty if none is kept.
func recordingOf(t *transcript.Transcript) recording {
	if t.Media == nil {
		return ""
	}
	return recording("/v1/library/transcripts/upload/" + url.PathEscape(t.ExternalID) + "/media")
}

// daysToKeep are the times for which the page offers to keep a recording.
var daysToKeep = []int64{1, 7, 30, 365}

// keepChoice is a time for which a recording may be kept.
type keepChoice struct{ Days, Seconds int64 }

// keepChoices returns the times that a plan permits. If the plan permits less than a day, the page
// offers none.
func keepChoices(most *int64) (choices []keepChoice) {
	const day = 24 * 60 * 60
	for _, days := range daysToKeep {
		if most == nil || days*day <= *most {
			choices = append(choices, keepChoice{days, days * day})
		}
	}
	return choices
}
