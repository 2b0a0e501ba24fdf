package pipeline

import (
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The states that the steps speak of.
var (
	pendingQueued = transcript.StageQueued.State()
	captionFetch  = transcript.StageCaptionFetch.State()
	durationCheck = transcript.StageDurationCheck.State()
	asrQueued     = transcript.StageASRQueued.State()
	asrRunning    = transcript.StageASRRunning.State()
	publishing    = transcript.StagePublishing.State()
	done          = transcript.StageDone.State()
)

// route is the way of an extraction to a step of a kind: from where it waits for
// the step to where the step works. Off its route a step has nothing to do.
func route(kind string) []transcript.State {
	switch kind {
	case captionsArgs{}.Kind():
		return []transcript.State{pendingQueued, captionFetch}
	case prepareArgs{}.Kind():
		return []transcript.State{pendingQueued, durationCheck}
	case startArgs{}.Kind():
		return []transcript.State{asrQueued}
	case recognizeArgs{}.Kind():
		return []transcript.State{asrQueued, asrRunning}
	case publishArgs{}.Kind():
		return []transcript.State{asrQueued, asrRunning, publishing}
	}
	return nil
}

// waitingFor is where an extraction waits that a step has left half done.
func waitingFor(s transcript.State) transcript.State {
	if s == asrRunning || s == publishing {
		return asrQueued
	}
	return pendingQueued
}

// beyondCaptions tells that the captions are known not to answer: the work goes
// on with the sound. (Captions that do answer are published in the move that
// finds them.)
func beyondCaptions(s transcript.State) bool {
	return s.Stage != transcript.StageQueued && s.Stage != transcript.StageCaptionFetch
}
