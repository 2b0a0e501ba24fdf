package pipeline

import (
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The states that the steps speak of.
var (
	pendingQueued = lifecycle.Of(transcript.StageQueued)
	captionFetch  = lifecycle.Of(transcript.StageCaptionFetch)
	durationCheck = lifecycle.Of(transcript.StageDurationCheck)
	asrQueued     = lifecycle.Of(transcript.StageASRQueued)
	asrRunning    = lifecycle.Of(transcript.StageASRRunning)
	publishing    = lifecycle.Of(transcript.StagePublishing)
)

// route is the way of an extraction to a step of a kind: from where it waits for
// the step to where the step works. Off its route a step has nothing to do.
func route(kind string) []lifecycle.State {
	switch kind {
	case captionsArgs{}.Kind():
		return []lifecycle.State{pendingQueued, captionFetch}
	case prepareArgs{}.Kind():
		return []lifecycle.State{pendingQueued, durationCheck}
	case startArgs{}.Kind():
		return []lifecycle.State{asrQueued}
	case recognizeArgs{}.Kind():
		return []lifecycle.State{asrQueued, asrRunning}
	case publishArgs{}.Kind():
		return []lifecycle.State{asrQueued, asrRunning, publishing}
	}
	return nil
}

// waitingFor is where an extraction waits that a step has left half done.
func waitingFor(s lifecycle.State) lifecycle.State {
	if s == asrRunning || s == publishing {
		return asrQueued
	}
	return pendingQueued
}

// beyondCaptions tells that the captions are known not to answer: the work goes
// on with the sound. (Captions that do answer are published in the move that
// finds them.)
func beyondCaptions(s lifecycle.State) bool {
	return s.Stage != transcript.StageQueued && s.Stage != transcript.StageCaptionFetch
}
