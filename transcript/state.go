package transcript

import "slices"

// State is where a job stands: its status and its stage. The zero value is that of
// a job which does not exist yet.
type State struct {
	Status JobStatus
	Stage  Stage
}

// State is where a job in s stands, unless it failed or was canceled there. It is
// zero for a stage that there is not.
func (s Stage) State() State {
	switch s {
	case StageQueued, StageASRQueued:
		return State{JobPending, s}
	case StageCaptionFetch, StageDurationCheck, StageASRRunning, StagePublishing:
		return State{JobProcessing, s}
	case StageDone:
		return State{JobSuccess, s}
	}
	return State{}
}

// nextStages is the state machine of a job: the stages that may follow a stage. A job
// may also fail or be canceled at every stage except the last, and keeps its stage
// then.
var nextStages = map[Stage][]Stage{
	// A job that joins running work begins at the stage of this work.
	"": {StageQueued, StageCaptionFetch, StageDurationCheck, StageASRQueued, StageASRRunning, StagePublishing},

	// Content without captions begins with the sound. A job whose text another job has
	// published meanwhile needs no work.
	StageQueued: {StageCaptionFetch, StageDurationCheck, StagePublishing},
	// Back in the queue: it was lost with its worker, or the platform blocks.
	StageCaptionFetch:  {StagePublishing, StageDurationCheck, StageQueued},
	StageDurationCheck: {StageASRQueued, StageQueued},
	StageASRQueued:     {StageASRRunning},
	StageASRRunning:    {StagePublishing, StageASRQueued},
	// Work that was lost goes back to the queue that it came from.
	StagePublishing: {StageDone, StageQueued, StageASRQueued},
}

// CanMove reports whether a job may go from one state to the other.
func CanMove(from, to State) bool {
	if from != from.Stage.State() || from.Status.Terminal() {
		return false
	}
	if to.Status == JobFailed || to.Status == JobCancelled {
		return from != State{} && to.Stage == from.Stage
	}
	return to == to.Stage.State() && slices.Contains(nextStages[from.Stage], to.Stage)
}
