package progress_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/internal/programtest"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A bar is drawn where something is measured, and nowhere else.
func TestBars(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{0, 80, 200} { // 0: as terminals say that do not know
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			screen := programtest.NewTerminal(t, columns)
			d := progress.New(screen.TTY)
			l := d.Line("")
			l.Bytes("sending", 12_300_000, 45_600_000)
			l.Note("connection lost, trying again in 4s")
			l.Bytes("receiving", 5_600_000, -1)
			l.Job(transcript.Job{Stage: transcript.StageQueued})
			l.Job(transcript.Job{Stage: transcript.StageASRRunning, Progress: &transcript.Progress{Fraction: 0.55}})
			l.Words("Good evening, and welcome\nto the news.")
			l.Job(transcript.Job{Stage: transcript.StagePublishing})
			l.Done()
			d.Say("Wrote talk.txt")
			d.Done()
			shown := screen.Close(t)
			assert.Regexp(t, `sending +26% \|██+ +\| +\(12/46 MB(, [^)]+/s)?\)  0:\d\d\r\n`, shown)
			assert.Regexp(t, `sending: connection lost, trying again in 4s  0:\d\d\r\n`, shown)
			assert.Regexp(t, `receiving 5\.6 MB  0:\d\d\r\n`, shown)
			assert.Regexp(t, `\x1b\[1A\x1b\[Jwaiting for its turn  0:\d\d\r\n`, shown, "without a share")
			assert.Regexp(t, `recognizing +55% \|███+ +\|`, shown)
			assert.Regexp(t, `recognizing +55% \|███+ +\|.*  0:\d\d  (Good evening, and welcome|….*) to the news\.\r\n`, shown)
			assert.Regexp(t, `publishing  0:\d\d\r\n`, shown)
			assert.True(t, strings.HasSuffix(shown, "\x1b[1A\x1b[JWrote talk.txt\r\n"), "%q", shown)
		})
	}
}

// What is left is told from what the step has done so far, wherever it began.
func TestTimeLeft(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	screen := programtest.NewTerminal(t, 80, func(shown string) {
		if strings.Contains(shown, " left") {
			select {
			case <-left:
			default:
				close(left)
			}
		}
	})
	d := progress.New(screen.TTY)
	l := d.Line("")
	l.Bytes("fetching", 500, 1000) // it goes on with half of it
	l.Bytes("fetching", 501, 1000)
	<-left // drawn when time has gone by
	d.Done()
	assert.Regexp(t, `fetching +50% .*, \d+:\d\d left\r\n`, screen.Close(t))
}

// Lines are cut to the terminal, and names to what tells them apart.
func TestManyLines(t *testing.T) {
	t.Parallel()
	screen := programtest.NewTerminal(t, 60)
	d := progress.New(screen.TTY)
	for i := range 20 {
		d.Line(fmt.Sprintf("https://videos.example/a/long/link/名前/%d", i)).Job(transcript.Job{Stage: transcript.StageASRQueued})
	}
	d.Done()
	shown := screen.Close(t)
	assert.Regexp(t, `…g/link/名前/14: waiting for the recognizer  0:\d\d\r\n`, shown)
	assert.Contains(t, shown, "and 5 more\r\n\x1b[16A\x1b[J")
	for line := range strings.SplitSeq(shown, "\r\n") {
		assert.LessOrEqual(t, len([]rune(line)), 60+len("\x1b[16A\x1b[J"))
	}
}
