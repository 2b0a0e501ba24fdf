package transcript

// State is where a job stands: its status and its stage.
type State struct {
	Status JobStatus
	Stage  Stage
}

// Transition is one row of the job's state machine (contract 3). An empty
// stage of To means that the stage stays: it says where the job ended.
type Transition struct {
	Rule string // the row's name in contract 3: J1 to J17
	From State  // the zero State: the job did not exist
	To   State
}

var (
	queued        = State{JobPending, StageQueued}
	captionFetch  = State{JobProcessing, StageCaptionFetch}
	durationCheck = State{JobProcessing, StageDurationCheck}
	asrQueued     = State{JobPending, StageASRQueued}
	asrRunning    = State{JobProcessing, StageASRRunning}
	publishing    = State{JobProcessing, StagePublishing}
	done          = State{JobSuccess, StageDone}
)

// transitions is the one table of the job's state machine. Nothing else may
// move a job.
var transitions = []Transition{
	{"J1", State{}, queued},
	{"J1", State{}, captionFetch}, // and the rest: a claim that joins running work
	{"J1", State{}, durationCheck},
	{"J1", State{}, asrQueued},
	{"J1", State{}, asrRunning},
	{"J1", State{}, publishing},
	{"J2", queued, captionFetch},
	{"J3", queued, durationCheck},
	{"J4", captionFetch, publishing},
	{"J5", captionFetch, durationCheck},
	{"J7", captionFetch, queued}, // and J7b, the same move with the attempt unchanged
	{"J8", durationCheck, asrQueued},
	{"J9b", durationCheck, queued},
	{"J10", asrQueued, asrRunning},
	{"J11", asrRunning, publishing},
	{"J12", asrRunning, asrQueued},
	{"J13", publishing, done},
	{"J14", captionFetch, queued},
	{"J14", durationCheck, queued},
	{"J14", asrRunning, asrQueued},
	{"J14", publishing, queued},
	{"J14", publishing, asrQueued},
	{"J17", queued, publishing},

	// J3b, J6, J9 and J15 fail, J16 cancels, from wherever the job stands.
	{"J15", queued, State{Status: JobFailed}},
	{"J15", captionFetch, State{Status: JobFailed}},
	{"J15", durationCheck, State{Status: JobFailed}},
	{"J15", asrQueued, State{Status: JobFailed}},
	{"J15", asrRunning, State{Status: JobFailed}},
	{"J15", publishing, State{Status: JobFailed}},
	{"J16", queued, State{Status: JobCancelled}},
	{"J16", captionFetch, State{Status: JobCancelled}},
	{"J16", durationCheck, State{Status: JobCancelled}},
	{"J16", asrQueued, State{Status: JobCancelled}},
	{"J16", asrRunning, State{Status: JobCancelled}},
	{"J16", publishing, State{Status: JobCancelled}},
}

// Transitions returns a copy of the table.
func Transitions() []Transition { return append([]Transition(nil), transitions...) }

// CanMove reports whether the table has a row from one state to the other.
func CanMove(from, to State) bool {
	for _, t := range transitions {
		if t.From != from {
			continue
		}
		want := t.To
		if want.Stage == "" {
			want.Stage = from.Stage
		}
		if want == to {
			return true
		}
	}
	return false
}

// EventTypeOf is the event that a transition to the state makes (contract 6).
func EventTypeOf(to State) EventType {
	switch to.Status {
	case JobSuccess:
		return EventCompleted
	case JobFailed:
		return EventFailed
	case JobCancelled:
		return EventCancelled
	}
	return EventProgress
}
