package progress

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"github.com/schollz/progressbar/v3"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Line shows the progress of one task. Safe for concurrent use: an upload reports from its own
// goroutine.
type Line struct {
	display *Display
	name    string // empty means the only task
	began   time.Time

	// Guarded by display.mu.
	step    string
	bar     *progressbar.ProgressBar // nil means that the progress of the step is not known
	bytes   bool                     // the bar counts bytes
	now     measure
	first   measure         // where the bar began
	said    string          // the words that were recognized last
	note    string          // the current problem, until there is progress
	written map[string]bool // the written lines, if there is no terminal
	over    bool
}

// measure is the finished part of a step.
type measure struct {
	n, total int64
	at       time.Time
}

// leastRoom is how many columns recognized words need.
const leastRoom = 12

// Bytes shows how much has been sent or fetched; total is -1 if not known. The step is a word
// such as "sending".
func (l *Line) Bytes(step string, n, total int64) {
	l.set(step, n, total, true)
}

// Job shows the progress of a job, and why it waits. Only measured progress gets a bar.
func (l *Line) Job(job transcript.Job) {
	if !job.Status.Terminal() {
		l.Why(job.LastError)
	}
	step := words(job.Stage)
	if job.Attempt > 1 && !job.Status.Terminal() {
		step += fmt.Sprintf(", attempt %d", job.Attempt)
	}
	if job.Progress == nil {
		l.State(step)
		return
	}
	const whole = 1000
	l.set(step, int64(whole*min(max(job.Progress.Fraction, 0), 1)), whole, false)
}

// Why writes a permanent line that says why the work is tried again or waits. It writes each
// reason once, however many tasks wait for the same thing. nil writes nothing.
func (l *Line) Why(e *transcript.LastError) {
	if e == nil {
		return
	}
	reason := e.Message
	if e.Cure != nil {
		reason += " " + *e.Cure
	}
	d := l.display
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || l.over || d.told[reason] {
		return
	}
	d.told[reason] = true
	if l.name != "" {
		reason = l.name + ": " + reason
	}
	d.say(reason)
}

// Event shows an event of a job's stream.
func (l *Line) Event(e transcript.Event) {
	if e.Segments == nil {
		l.Job(e.Job)
	} else if n := len(e.Segments.Segments); n > 0 {
		l.Words(e.Segments.Segments[n-1].Text)
	}
}

// Words shows the end of recognized text on a terminal, for the rest of the step or until there
// are newer words. Elsewhere it shows nothing.
func (l *Line) Words(text string) {
	l.display.mu.Lock()
	defer l.display.mu.Unlock()
	l.said = OneLine(text)
	if l.display.terminal != nil {
		l.display.changed(l, true)
	}
}

// State shows a state in words, such as "3 of 5 done".
func (l *Line) State(state string) {
	l.set(state, 0, -1, false)
}

// Note shows a problem of the step until there is progress.
func (l *Line) Note(text string) {
	l.display.mu.Lock()
	defer l.display.mu.Unlock()
	l.note = OneLine(text)
	l.display.changed(l, true)
}

// Hide removes the line until there is progress.
func (l *Line) Hide() {
	l.display.mu.Lock()
	defer l.display.mu.Unlock()
	l.hide()
}

// Done removes the line for good.
func (l *Line) Done() {
	l.display.mu.Lock()
	defer l.display.mu.Unlock()
	l.over = true
	l.hide()
}

func (l *Line) hide() {
	d := l.display
	if at := slices.Index(d.lines, l); at >= 0 {
		d.lines = slices.Delete(d.lines, at, at+1)
		d.draw("")
	}
}

func (l *Line) set(step string, n, total int64, bytes bool) {
	l.display.mu.Lock()
	defer l.display.mu.Unlock()
	step = OneLine(step)
	begins := step != l.step || l.note != ""
	before := l.now
	if step != l.step {
		l.said = ""
	}
	l.step, l.bytes, l.note = step, bytes, ""
	l.now = measure{n, total, time.Now()}
	if begins || n < before.n || total != before.total {
		l.bar, l.first = nil, l.now
	}
	l.display.changed(l, begins)
}

// write writes the line to an output that is not a terminal, unless it was already written. So a
// log has each step once, even for a task that alternates between two steps.
func (l *Line) write(out io.Writer) {
	line := l.step
	if fifth := 20 * int(5*l.share()); fifth > 0 {
		line += fmt.Sprintf(" %d%%", fifth)
	}
	if l.note != "" {
		line = l.note
	}
	if l.written[line] {
		return
	}
	if l.written == nil {
		l.written = map[string]bool{}
	}
	l.written[line] = true
	if l.name != "" {
		line = l.name + ": " + line
	}
	fmt.Fprintln(out, line)
}

// share returns the finished share of the step, 0 if not known.
func (l *Line) share() float64 {
	if l.now.total <= 0 {
		return 0
	}
	return min(float64(l.now.n)/float64(l.now.total), 1)
}

// drawn returns the line for a terminal with that many columns.
func (l *Line) drawn(width int) string {
	line := l.step
	switch {
	case l.note != "":
		line += ": " + l.note
	case l.now.total > 0:
		line = l.drawnBar(width)
	case l.bytes:
		line += " " + Size(l.now.n)
	}
	if l.name != "" {
		line = tail(l.name, max(width-50, 15)) + ": " + line
	}
	line += "  " + clock(time.Since(l.began))
	if left, known := l.left(); known {
		line += ", " + clock(left) + " left"
	}
	if room := width - uniseg.StringWidth(line) - 3; l.said != "" && room >= leastRoom {
		line += "  " + tail(l.said, room)
	}
	return line
}

func (l *Line) drawnBar(width int) string {
	if l.bar == nil {
		options := []progressbar.Option{
			progressbar.OptionSetWriter(io.Discard), // the display draws it
			progressbar.OptionSetWidth(min(max(width-75, 10), 30)),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
		}
		if l.bytes {
			options = append(options, progressbar.OptionShowBytes(true), progressbar.OptionShowCount())
		}
		l.bar = progressbar.NewOptions64(l.now.total, options...)
	}
	l.bar.Describe(fmt.Sprintf("%-11s", l.step))
	_ = l.bar.Set64(min(l.now.n, l.now.total)) // the bar rejects no value up to the total
	_ = l.bar.RenderBlank()                    // and writes nowhere
	return strings.TrimSpace(l.bar.String())
}

// left estimates the remaining time of the step from its speed so far. It is not known before
// the first progress.
func (l *Line) left() (time.Duration, bool) {
	done := l.now.n - l.first.n
	if l.now.total <= 0 || done <= 0 || l.note != "" {
		return 0, false
	}
	each := float64(l.now.at.Sub(l.first.at)) / float64(done)
	rest := each*float64(l.now.total-l.now.n) - float64(time.Since(l.now.at))
	return time.Duration(max(rest, 0)), true
}
