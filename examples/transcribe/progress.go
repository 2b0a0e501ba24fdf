package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// progress shows how far the work has come: a bar on a terminal, elsewhere a
// line for every step and for every fifth of it.
type progress struct {
	out io.Writer
	bar *progressbar.ProgressBar // nil: lines

	mu    sync.Mutex // an upload reports from a goroutine of its own
	step  string
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

// uploaded shows how much of the file has been sent; total is -1 when nobody
// knows.
func (p *progress) uploaded(sent, total int64) {
	var fraction float64
	if total > 0 {
		fraction = float64(sent) / float64(total)
	}
	p.show("upload", fraction)
}

// job shows how far the service has come.
func (p *progress) job(job transcript.Job) {
	var fraction float64
	if job.Progress != nil {
		fraction = job.Progress.Fraction
	}
	p.show(string(job.Stage), fraction)
}

func (p *progress) show(step string, fraction float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%-14s", step))
		_ = p.bar.Set(min(int(100*fraction), 99)) // at 100 the bar would be taken away; a failed write shows nothing anyway
		return
	}
	fifth := int(5 * fraction)
	if step == p.step && fifth == p.fifth {
		return
	}
	p.step, p.fifth = step, fifth
	if fifth == 0 {
		fmt.Fprintln(p.out, step)
		return
	}
	fmt.Fprintf(p.out, "%s %d%%\n", step, 20*fifth)
}

// done takes the bar away.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Finish() // as above
	}
}
