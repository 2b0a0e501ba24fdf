package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// progress shows how far a job has come: a bar on a terminal, a line for every
// stage and every fifth of the recording elsewhere.
type progress struct {
	out io.Writer
	bar *progressbar.ProgressBar // nil: lines

	stage transcript.Stage
	fifth int
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(100,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(40),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// show brings the display up to date with the job.
func (p *progress) show(job transcript.Job) {
	var fraction float64
	if job.Progress != nil {
		fraction = job.Progress.Fraction
	}
	if p.bar == nil {
		p.line(job.Stage, fraction)
		return
	}
	p.bar.Describe(fmt.Sprintf("%-14s", job.Stage))
	_ = p.bar.Set(int(100 * fraction)) // a terminal that cannot be written to shows nothing anyway
}

func (p *progress) line(stage transcript.Stage, fraction float64) {
	fifth := int(5 * fraction)
	if stage == p.stage && fifth == p.fifth {
		return
	}
	p.stage, p.fifth = stage, fifth
	fmt.Fprintf(p.out, "  %s", stage)
	if fifth > 0 {
		fmt.Fprintf(p.out, " %d%%", 20*fifth)
	}
	fmt.Fprintln(p.out)
}

// done takes the bar away.
func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish() // as above
	}
}
