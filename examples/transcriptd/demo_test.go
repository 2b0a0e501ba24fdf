package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const recording = "../testdata/talk.ogg"

func TestDemo(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	a := must(t, "demo", "--file", recording)
	assert.Empty(t, a.stderr)
	assert.Regexp(t, `(?m)^  asr_running \d+%$`, a.stdout, "progress in lines, as this is no terminal")
	assert.Regexp(t, `(?m)^\[00:00:\d\d\] this is a short talk`, a.stdout)
	assert.Regexp(t, `(?m)^The answer came from the cache`, a.stdout)
	lines := strings.Split(strings.TrimSpace(a.stdout), "\n")
	assert.Contains(t, lines[len(lines)-1], "go run ./examples/transcriptd serve")
}

func TestDemoLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	tmp := t.TempDir()
	text, err := filepath.Abs("../testdata/talk.txt")
	require.NoError(t, err)
	code, _, stderr := finish(program(t, []string{"TMPDIR=" + tmp}, "demo", "--file", text))
	assert.Equal(t, exitFailure, code)
	assert.Regexp(t, `\Atranscriptd: [^\n]*UPLOAD_INVALID[^\n]*\n\z`, stderr)
	left, err := os.ReadDir(tmp)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// needPrograms skips where the engines are not installed, but not in CI.
func needPrograms(t *testing.T) {
	t.Helper()
	for _, p := range programs() {
		if _, err := exec.LookPath(p[0]); err != nil && os.Getenv("CI") == "" {
			t.Skip(err)
		}
	}
}

func TestProgressAsLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := newProgress(&out)
	at := func(stage transcript.Stage, fraction float64) {
		job := transcript.Job{Stage: stage}
		if fraction > 0 {
			job.Progress = &transcript.Progress{Fraction: fraction}
		}
		p.show(job)
	}
	at(transcript.StageQueued, 0)
	at(transcript.StageQueued, 0)
	at(transcript.StageASRRunning, 0)
	at(transcript.StageASRRunning, 0.1)
	at(transcript.StageASRRunning, 0.45)
	at(transcript.StageASRRunning, 0.5)
	at(transcript.StageASRRunning, 1)
	at(transcript.StageDone, 0)
	p.done()
	assert.Equal(t, "  queued\n  asr_running\n  asr_running 40%\n  asr_running 100%\n  done\n", out.String())
}

// On a terminal the progress is one line that moves: what script records of it
// is full of returns.
func TestDemoOnATerminal(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("no program script to make a terminal with")
	}
	file, err := filepath.Abs(recording)
	require.NoError(t, err)
	cmd := exec.CommandContext(context.Background(), script, "-qec", os.Args[0]+" demo --file "+file, "/dev/null")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	shown, err := cmd.Output()
	require.NoError(t, err, string(shown))
	assert.Regexp(t, `\rasr_running +\d+% \|█+`, string(shown))
	assert.NotContains(t, string(shown), "  asr_running")
}
