// Package progress shows on a terminal or in a log how far work has come.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Display is a bar on a terminal, and elsewhere a line for every step and for every
// fifth of it. Safe for concurrent use: an upload reports from a goroutine of its
// own.
type Display struct {
	out io.Writer
	bar *progressbar.ProgressBar // nil: lines

	mu    sync.Mutex
	step  string
	fifth int
}

// New makes a display on out. It is to be ended with Done.
func New(out io.Writer) *Display {
	d := &Display{out: out}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		d.bar = progressbar.NewOptions(100,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(40),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionClearOnFinish(),
		)
	}
	return d
}

// Uploaded shows how many bytes of a file have been sent; total is -1 when nobody
// knows.
func (d *Display) Uploaded(sent, total int64) {
	var fraction float64
	if total > 0 {
		fraction = float64(sent) / float64(total)
	}
	d.show("upload", fraction)
}

// Job shows how far the service has come with a job.
func (d *Display) Job(job transcript.Job) {
	var fraction float64
	if job.Progress != nil { // only some stages tell
		fraction = job.Progress.Fraction
	}
	d.show(string(job.Stage), fraction)
}

func (d *Display) show(step string, fraction float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bar != nil {
		d.bar.Describe(fmt.Sprintf("%-14s", step))
		_ = d.bar.Set(min(int(100*fraction), 99)) // at 100 the bar would be taken away; a failed write shows nothing anyway
		return
	}
	fifth := int(5 * fraction)
	if step == d.step && fifth == d.fifth {
		return
	}
	d.step, d.fifth = step, fifth
	if fifth == 0 {
		fmt.Fprintln(d.out, step)
		return
	}
	fmt.Fprintf(d.out, "%s %d%%\n", step, 20*fifth)
}

// Done takes the bar away.
func (d *Display) Done() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bar != nil {
		_ = d.bar.Finish() // as above
	}
}
