package step

import (
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The states that the steps use.
var (
	Queued        = lifecycle.Of(transcript.StageQueued)
	CaptionFetch  = lifecycle.Of(transcript.StageCaptionFetch)
	DurationCheck = lifecycle.Of(transcript.StageDurationCheck)
	ASRQueued     = lifecycle.Of(transcript.StageASRQueued)
	ASRRunning    = lifecycle.Of(transcript.StageASRRunning)
	Publishing    = lifecycle.Of(transcript.StagePublishing)
)

// Way is the way of work to a step of a kind: from the state in which the work waits for the
// step to the state in which the step works. If the work is not on the way of a step, the step
// has nothing to do. Way is empty for a kind that is unknown.
func Way(kind string) []lifecycle.State {
	switch kind {
	case Captions{}.Kind():
		return []lifecycle.State{Queued, CaptionFetch}
	case Prepare{}.Kind():
		return []lifecycle.State{Queued, DurationCheck}
	case Start{}.Kind():
		return []lifecycle.State{ASRQueued}
	case Recognize{}.Kind(), TellSpeakers{}.Kind():
		return []lifecycle.State{ASRQueued, ASRRunning}
	case Publish{}.Kind():
		return []lifecycle.State{ASRQueued, ASRRunning, Publishing}
	}
	return nil
}

// WaitingFor is the state in which work waits after a step has left it half done.
func WaitingFor(s lifecycle.State) lifecycle.State {
	if s == ASRRunning || s == Publishing {
		return ASRQueued
	}
	return Queued
}

// BeyondCaptions reports whether it is known that captions do not answer: the work
// continues with the sound. (Captions that do answer are published in the move that finds
// them.)
func BeyondCaptions(s lifecycle.State) bool {
	return s.Stage != transcript.StageQueued && s.Stage != transcript.StageCaptionFetch
}
