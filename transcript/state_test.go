package transcript_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/transcript"
)

type move struct{ from, to transcript.State }

// contractMoves are the rows of contract 3, written out here a second time, as
// pairs of words.
func contractMoves() map[move]string {
	state := func(status, stage string) transcript.State {
		return transcript.State{Status: transcript.JobStatus(status), Stage: transcript.Stage(stage)}
	}
	none := transcript.State{}
	queued, asrQueued := state("pending", "queued"), state("pending", "asr_queued")
	captionFetch, durationCheck := state("processing", "caption_fetch"), state("processing", "duration_check")
	asrRunning, publishing := state("processing", "asr_running"), state("processing", "publishing")

	moves := map[move]string{
		{none, queued}: "J1",
		// J1: "or where the joined extraction stands".
		{none, captionFetch}:  "J1",
		{none, durationCheck}: "J1",
		{none, asrQueued}:     "J1",
		{none, asrRunning}:    "J1",
		{none, publishing}:    "J1",

		{queued, captionFetch}:                 "J2",
		{queued, durationCheck}:                "J3",
		{captionFetch, publishing}:             "J4",
		{captionFetch, durationCheck}:          "J5",
		{captionFetch, queued}:                 "J7, J7b, J14",
		{durationCheck, asrQueued}:             "J8",
		{durationCheck, queued}:                "J9b, J14",
		{asrQueued, asrRunning}:                "J10",
		{asrRunning, publishing}:               "J11",
		{asrRunning, asrQueued}:                "J12, J14",
		{publishing, state("success", "done")}: "J13",
		{queued, publishing}:                   "J17",
		// J14: a lost worker's work begins again where it stood in line: never
		// further on, so no lost caption_fetch gets into the line for recognition.
		{publishing, queued}:    "J14, after captions",
		{publishing, asrQueued}: "J14, after recognition",
	}
	// J3b, J6, J9, J15 and J16 end a job from every pending/* and processing/*, at
	// the stage where it stood.
	for _, from := range []transcript.State{queued, captionFetch, durationCheck, asrQueued, asrRunning, publishing} {
		moves[move{from, state("failed", string(from.Stage))}] = "J15"
		moves[move{from, state("cancelled", string(from.Stage))}] = "J16"
	}
	return moves
}

// allStates is every pair of status and stage, those too that no job is ever in,
// and the state of a job that does not exist.
func allStates() []transcript.State {
	states := []transcript.State{{}}
	for _, status := range []transcript.JobStatus{"", "pending", "processing", "success", "failed", "cancelled", "paused"} {
		for _, stage := range append(transcript.Stages(), "", "lunch") {
			states = append(states, transcript.State{Status: status, Stage: stage})
		}
	}
	return states
}

func TestOnlyTheContractsMoves(t *testing.T) {
	t.Parallel()
	moves := contractMoves()
	for _, from := range allStates() {
		for _, to := range allStates() {
			rule, want := moves[move{from, to}]
			assert.Equal(t, want, transcript.CanMove(from, to), "%v to %v %s", from, to, rule)
		}
	}
}

func TestTheTableHasNoRowTwice(t *testing.T) {
	t.Parallel()
	seen := map[transcript.Transition]bool{}
	for _, row := range transcript.Transitions() {
		assert.False(t, seen[row], "%+v", row)
		seen[row] = true
		assert.Regexp(t, `^J(1?\d)b?$`, row.Rule)
	}
	transcript.Transitions()[0].Rule = "changed"
	assert.Equal(t, "J1", transcript.Transitions()[0].Rule, "the table is a copy")
}

// A model job that asks for moves at random only ever makes those of the
// contract, and never leaves a terminal state.
func TestAJobMovedAtRandom(t *testing.T) {
	t.Parallel()
	moves, states := contractMoves(), allStates()
	rapid.Check(t, func(t *rapid.T) {
		var job transcript.State
		for range rapid.IntRange(1, 200).Draw(t, "moves") {
			to := rapid.SampledFrom(states).Draw(t, "to")
			// Half of the time it asks for what should be possible, to get far.
			if next := reachable(moves, job); len(next) > 0 && rapid.Bool().Draw(t, "possible") {
				to = rapid.SampledFrom(next).Draw(t, "next")
			}
			_, allowed := moves[move{job, to}]
			if transcript.CanMove(job, to) != allowed {
				t.Fatalf("%v to %v: allowed %v by the contract", job, to, allowed)
			}
			if job.Status.Terminal() && allowed {
				t.Fatalf("%v is terminal, but leads to %v", job, to)
			}
			if allowed {
				job = to
			}
		}
	})
}

// reachable lists, in a fixed order, where a job can go next.
func reachable(moves map[move]string, from transcript.State) []transcript.State {
	var next []transcript.State
	for _, to := range allStates() {
		if _, ok := moves[move{from, to}]; ok && !slices.Contains(next, to) {
			next = append(next, to)
		}
	}
	return next
}

func TestEveryStateCanEndAndNoEndCanMove(t *testing.T) {
	t.Parallel()
	begun := map[transcript.State]bool{{}: true}
	for again := true; again; {
		again = false
		for _, from := range allStates() {
			for _, to := range allStates() {
				if begun[from] && !begun[to] && transcript.CanMove(from, to) {
					begun[to], again = true, true
				}
			}
		}
	}
	// Six states on the way, success, six to fail and six to be cancelled in.
	assert.Len(t, begun, 1+6+1+6+6)
	for from := range begun {
		var next []transcript.State
		for _, to := range allStates() {
			if transcript.CanMove(from, to) {
				next = append(next, to)
			}
		}
		if from.Status.Terminal() {
			assert.Empty(t, next, "%v", from)
			continue
		}
		if from != (transcript.State{}) {
			assert.True(t, slices.ContainsFunc(next, func(s transcript.State) bool { return s.Status.Terminal() }), "%v", from)
		}
		assert.True(t, canSucceed(from, map[transcript.State]bool{}), "%v", from)
	}
}

func canSucceed(s transcript.State, seen map[transcript.State]bool) bool {
	if s.Status == transcript.JobSuccess {
		return true
	}
	seen[s] = true
	return slices.ContainsFunc(allStates(), func(to transcript.State) bool {
		return transcript.CanMove(s, to) && !seen[to] && canSucceed(to, seen)
	})
}

func TestStateOfAJob(t *testing.T) {
	t.Parallel()
	job := transcript.Job{Status: transcript.JobPending, Stage: transcript.StageASRQueued}
	assert.Equal(t, transcript.State{Status: "pending", Stage: "asr_queued"}, job.State())
}
