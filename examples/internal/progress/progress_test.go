package progress_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// What is no terminal gets a line only where there is something new.
func TestLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	d := progress.New(&out)
	d.Uploaded(10, -1)
	d.Uploaded(30, 100)
	d.Uploaded(100, 100)
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
		job := transcript.Job{Stage: at.stage}
		if at.fraction > 0 {
			job.Progress = &transcript.Progress{Fraction: at.fraction}
		}
		d.Job(job)
	}
	d.Done()
	assert.Equal(t, "upload\nupload 20%\nupload 100%\nqueued\nasr_running\nasr_running 40%\nasr_running 100%\ndone\n", out.String())
}
