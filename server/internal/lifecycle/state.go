// Package lifecycle is the state machine of a job: the order in which a job may go through its
// states.
package lifecycle

import (
	"slices"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// State is the status and the stage of a job. The zero value is the state of a job that does
// not exist yet.
type State struct {
	Status transcript.JobStatus
	Stage  transcript.Stage
}

// Of returns the state of a job at a stage, if the job has not failed and is not canceled there.
// It returns zero for an unknown stage.
func Of(s transcript.Stage) State {
	switch s {
	case transcript.StageQueued, transcript.StageASRQueued:
		return State{transcript.JobPending, s}
	case transcript.StageCaptionFetch, transcript.StageDurationCheck, transcript.StageASRRunning, transcript.StagePublishing:
		return State{transcript.JobProcessing, s}
	case transcript.StageDone:
		return State{transcript.JobSuccess, s}
	}
	return State{}
}

// nextStages has the stages that may follow a stage. A job may also fail or be canceled at every
// stage except the last, and then keeps its stage.
var nextStages = map[transcript.Stage][]transcript.Stage{
	// A job that joins running work begins at the stage of this work.
	"": {
		transcript.StageQueued, transcript.StageCaptionFetch, transcript.StageDurationCheck,
		transcript.StageASRQueued, transcript.StageASRRunning, transcript.StagePublishing,
	},
	// Content without captions begins with the sound. If another job has published the text
	// meanwhile, the job needs no work.
	transcript.StageQueued: {transcript.StageCaptionFetch, transcript.StageDurationCheck, transcript.StagePublishing},
	// A job goes back to the queue if its worker was lost, or if the platform blocks.
	transcript.StageCaptionFetch:  {transcript.StagePublishing, transcript.StageDurationCheck, transcript.StageQueued},
	transcript.StageDurationCheck: {transcript.StageASRQueued, transcript.StageQueued},
	transcript.StageASRQueued:     {transcript.StageASRRunning},
	transcript.StageASRRunning:    {transcript.StagePublishing, transcript.StageASRQueued},
	// Lost work goes back to the queue that it came from.
	transcript.StagePublishing: {transcript.StageDone, transcript.StageQueued, transcript.StageASRQueued},
}

// CanMove reports whether a job may go from one state to the other.
func CanMove(from, to State) bool {
	if from != Of(from.Stage) || from.Status.Terminal() {
		return false
	}
	if to.Status == transcript.JobFailed || to.Status == transcript.JobCancelled {
		return from != State{} && to.Stage == from.Stage
	}
	return to == Of(to.Stage) && slices.Contains(nextStages[from.Stage], to.Stage)
}
