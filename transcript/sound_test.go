package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestRemarks(t *testing.T) {
	t.Parallel()
	assert.Empty(t, transcript.Sound{}.Remarks())
	assert.Empty(t, transcript.Sound{Heard: &transcript.Heard{HeardSec: 9, SpeechSec: 10}}.Remarks(), "a tenth is breath and laughter")
	assert.Empty(t, transcript.Sound{Heard: new(transcript.Heard)}.Remarks(), "no speech")
	assert.Equal(t, []string{
		"The file is cut off: it holds 70.0 of the 100.0 seconds it announces.",
		"The service could not read the last 512 bytes of the file.",
		"12 s of 80 s of speech have no words.",
		"The text is of audio track 2 of 3 (de).",
	}, transcript.Sound{
		CutOff: &transcript.CutOff{HeldSec: 70, AnnouncedSec: 100}, UnreadBytes: 512, Heard: &transcript.Heard{HeardSec: 68, SpeechSec: 80},
		AudioTracks: []transcript.AudioTrack{{Index: 1}, {Index: 2, Language: new("de"), Used: true}, {Index: 3, Default: true}},
	}.Remarks())
	assert.Equal(t, []string{"The text is of audio track 1 of 2."},
		transcript.Sound{AudioTracks: []transcript.AudioTrack{{Index: 1, Used: true}, {Index: 2}}}.Remarks())
}
