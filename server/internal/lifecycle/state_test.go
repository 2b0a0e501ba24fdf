package lifecycle_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

type move struct{ from, to lifecycle.State }

// allowedMoves are the moves of docs/guides/jobs.md, written out here a second
// time as pairs of words.
func allowedMoves() map[move]bool {
	state := func(status, stage string) lifecycle.State {
		return lifecycle.State{Status: transcript.JobStatus(status), Stage: transcript.Stage(stage)}
	}
	none := lifecycle.State{}
	queued, asrQueued := state("pending", "queued"), state("pending", "asr_queued")
	captionFetch, durationCheck := state("processing", "caption_fetch"), state("processing", "duration_check")
	asrRunning, publishing := state("processing", "asr_running"), state("processing", "publishing")

	moves := map[move]bool{
		{queued, captionFetch}:                 true,
		{queued, durationCheck}:                true,
		{queued, publishing}:                   true,
		{captionFetch, publishing}:             true,
		{captionFetch, durationCheck}:          true,
		{captionFetch, queued}:                 true,
		{durationCheck, asrQueued}:             true,
		{durationCheck, queued}:                true,
		{asrQueued, asrRunning}:                true,
		{asrRunning, publishing}:               true,
		{asrRunning, asrQueued}:                true,
		{publishing, state("success", "done")}: true,
		// A lost worker's work begins again where it stood in line: never further on,
		// so no lost caption_fetch gets into the line for recognition.
		{publishing, queued}:    true,
		{publishing, asrQueued}: true,
	}
	for _, at := range []lifecycle.State{queued, captionFetch, durationCheck, asrQueued, asrRunning, publishing} {
		moves[move{none, at}] = true
		moves[move{at, state("failed", string(at.Stage))}] = true
		moves[move{at, state("cancelled", string(at.Stage))}] = true
	}
	return moves
}

// allStates is every pair of status and stage, those too that no job is ever in,
// and the state of a job that does not exist.
func allStates() []lifecycle.State {
	states := []lifecycle.State{{}}
	for _, status := range []transcript.JobStatus{"", "pending", "processing", "success", "failed", "cancelled", "paused"} {
		for stage := range strings.FieldsSeq("queued caption_fetch duration_check asr_queued asr_running publishing done lunch") {
			states = append(states, lifecycle.State{Status: status, Stage: transcript.Stage(stage)})
		}
		states = append(states, lifecycle.State{Status: status})
	}
	return states
}

func TestOnlyTheAllowedMoves(t *testing.T) {
	t.Parallel()
	moves := allowedMoves()
	for _, from := range allStates() {
		for _, to := range allStates() {
			assert.Equal(t, moves[move{from, to}], lifecycle.CanMove(from, to), "%v to %v", from, to)
		}
	}
}

// The drawing in the guide shows these moves, and how a job begins and ends.
func TestTheDrawingOfTheMoves(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../docs/guides/jobs.md")
	require.NoError(t, err)
	arrows := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^ +(\S+) --> ([^:\n]+)`).FindAllStringSubmatch(string(guide), -1) {
		arrows[m[1]+" "+m[2]] = true
	}
	want := map[string]bool{"[*] queued": true, "done [*]": true}
	for m := range allowedMoves() {
		if m.from.Stage != "" && m.from.Stage != m.to.Stage { // a job may fail everywhere
			want[string(m.from.Stage)+" "+string(m.to.Stage)] = true
		}
	}
	assert.Equal(t, want, arrows)
}

// A model job that asks for moves at random only ever makes those that are
// allowed, and never leaves a terminal state.
func TestAJobMovedAtRandom(t *testing.T) {
	t.Parallel()
	moves, states := allowedMoves(), allStates()
	rapid.Check(t, func(t *rapid.T) {
		var job lifecycle.State
		for range rapid.IntRange(1, 200).Draw(t, "moves") {
			to := rapid.SampledFrom(states).Draw(t, "to")
			// Half of the time it asks for what should be possible, to get far.
			if next := reachable(moves, job); len(next) > 0 && rapid.Bool().Draw(t, "possible") {
				to = rapid.SampledFrom(next).Draw(t, "next")
			}
			allowed := moves[move{job, to}]
			if lifecycle.CanMove(job, to) != allowed {
				t.Fatalf("%v to %v: allowed: %v", job, to, allowed)
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
func reachable(moves map[move]bool, from lifecycle.State) []lifecycle.State {
	var next []lifecycle.State
	for _, to := range allStates() {
		if moves[move{from, to}] && !slices.Contains(next, to) {
			next = append(next, to)
		}
	}
	return next
}

func TestEveryStateCanEndAndNoEndCanMove(t *testing.T) {
	t.Parallel()
	begun := map[lifecycle.State]bool{{}: true}
	for again := true; again; {
		again = false
		for _, from := range allStates() {
			for _, to := range allStates() {
				if begun[from] && !begun[to] && lifecycle.CanMove(from, to) {
					begun[to], again = true, true
				}
			}
		}
	}
	// Six states on the way, success, six to fail and six to be cancelled in.
	assert.Len(t, begun, 1+6+1+6+6)
	for from := range begun {
		var next []lifecycle.State
		for _, to := range allStates() {
			if lifecycle.CanMove(from, to) {
				next = append(next, to)
			}
		}
		if from.Status.Terminal() {
			assert.Empty(t, next, "%v", from)
			continue
		}
		if from != (lifecycle.State{}) {
			assert.True(t, slices.ContainsFunc(next, func(s lifecycle.State) bool { return s.Status.Terminal() }), "%v", from)
		}
		assert.True(t, canSucceed(from, map[lifecycle.State]bool{}), "%v", from)
	}
}

func canSucceed(s lifecycle.State, seen map[lifecycle.State]bool) bool {
	if s.Status == transcript.JobSuccess {
		return true
	}
	seen[s] = true
	return slices.ContainsFunc(allStates(), func(to lifecycle.State) bool {
		return lifecycle.CanMove(s, to) && !seen[to] && canSucceed(to, seen)
	})
}

func TestOf(t *testing.T) {
	t.Parallel()
	assert.Equal(t, lifecycle.State{Status: "pending", Stage: "asr_queued"}, lifecycle.Of(transcript.StageASRQueued))
	assert.Zero(t, lifecycle.Of("lunch"))
}
