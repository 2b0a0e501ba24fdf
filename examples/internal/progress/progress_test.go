package progress_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Each reason of a wait is written once, with its cure, on a line that stays.
func TestWhy(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	d := progress.New(&out)
	cure := "Wait\x1b[2J\na while."
	blocked := &transcript.LastError{Code: transcript.IPBlocked, Message: "The platform blocks.", Cure: &cure, Attempt: 1}
	broken := &transcript.LastError{Code: transcript.UpstreamFailed, Message: "It breaks.", Attempt: 1}
	one, two := d.Line("one"), d.Line("two")
	for range 2 {
		one.Job(transcript.Job{Status: transcript.JobPending, Stage: transcript.StageQueued, Attempt: 1, LastError: blocked})
		two.Why(blocked)
		two.Why(broken)
		two.Why(nil)
	}
	two.Job(transcript.Job{Status: transcript.JobFailed, Stage: transcript.StageQueued, Attempt: 4,
		LastError: &transcript.LastError{Message: "The end tells this.", Attempt: 4}})
	d.Done()
	two.Why(&transcript.LastError{Message: "Too late.", Attempt: 1})
	assert.Equal(t, `one: The platform blocks. Wait [2J a while.
one: waiting for its turn
two: It breaks.
two: waiting for its turn
`, out.String())
}

// What is no terminal gets a line only where there is something new.
func TestLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	d := progress.New(&out)
	l := d.Line("")
	l.Bytes("sending", 10, -1)
	l.Bytes("sending", 30, 100)
	l.Note("connection lost, trying again in 1s")
	l.Bytes("sending", 0, 100)
	l.Bytes("sending", 100, 100)
	for _, at := range []struct {
		stage    transcript.Stage
		fraction float64
	}{
		{transcript.StageQueued, 0},
		{transcript.StageQueued, 0},
		{transcript.StageASRRunning, 0},
		{transcript.StageASRRunning, 0.1},
		{transcript.StageASRRunning, 0.45},
		{transcript.StageASRRunning, 0.5},
		{transcript.StageASRRunning, 1},
		{transcript.StageDone, 0},
	} {
		job := transcript.Job{Stage: at.stage, Attempt: 1}
		if at.fraction > 0 {
			job.Progress = &transcript.Progress{Fraction: at.fraction}
		}
		l.Job(job)
	}
	l.Done()
	l = d.Line("item")
	for range 2 { // it is tried again
		l.State("running")
		l.Hide()
	}
	l.Done()
	other := d.Line("two\x1b[31m.mp3")
	other.Job(transcript.Job{Stage: transcript.StageASRQueued, Attempt: 2})
	other.Done()
	d.Say("Wrote\ntwo.txt")
	d.Done()
	d.Done()
	assert.Equal(t, `sending
sending 20%
connection lost, trying again in 1s
sending 100%
waiting for its turn
recognizing
recognizing 40%
recognizing 100%
done
item: running
two [31m.mp3: waiting for the recognizer, attempt 2
Wrote two.txt
`, out.String())
}
