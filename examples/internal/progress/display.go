// Package progress shows the progress of work on a terminal or in a log.
package progress

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Display shows a line for each task. On a terminal it draws lines with bars again as they
// change. Elsewhere it writes a line for every step and every fifth of a step. It is safe
// for concurrent use.
type Display struct {
	out      io.Writer
	terminal *os.File // nil means lines
	ended    chan struct{}
	clock    sync.WaitGroup

	mu    sync.Mutex
	lines []*Line
	drawn int // lines on the terminal
	at    time.Time
	over  bool
	told  map[string]bool // the reasons of waits that were written
}

const (
	mostLines   = 16                     // drawn at most, so that they fit onto a terminal
	drawEvery   = 100 * time.Millisecond // at most, even if things change faster
	redrawEvery = 500 * time.Millisecond // when nothing changes
)

// New makes a display on out. The caller ends it with Done.
func New(out io.Writer) *Display {
	d := &Display{out: out, ended: make(chan struct{}), told: map[string]bool{}}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		d.terminal = f
		d.clock.Go(d.redraw)
	}
	return d
}

// redraw updates the elapsed time.
func (d *Display) redraw() {
	clock := time.NewTicker(redrawEvery)
	defer clock.Stop()
	for {
		select {
		case <-d.ended:
			return
		case <-clock.C:
			d.mu.Lock()
			if len(d.lines) > 0 {
				d.draw("")
			}
			d.mu.Unlock()
		}
	}
}

// Line begins a line. An empty name shows the step alone, for a single task. The line ends with
// its own Done, or with the display's.
func (d *Display) Line(name string) *Line {
	return &Line{display: d, name: OneLine(name), began: time.Now()}
}

// Say writes a permanent line.
func (d *Display) Say(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.say(text)
}

func (d *Display) say(text string) {
	if d.terminal != nil {
		d.draw(OneLine(text) + "\n")
		return
	}
	fmt.Fprintln(d.out, OneLine(text))
}

// Done removes all lines, so that the program can write something else. Later changes show
// nothing. Done may be called again.
func (d *Display) Done() {
	d.mu.Lock()
	first := !d.over
	if first && d.terminal != nil {
		d.lines = nil
		d.draw("")
	}
	d.over = true
	d.mu.Unlock()
	if first {
		close(d.ended)
		d.clock.Wait()
	}
}

// changed shows a line's progress, at once if the step is new.
func (d *Display) changed(l *Line, step bool) {
	switch {
	case d.over, l.over:
	case d.terminal == nil:
		l.write(d.out)
	case !slices.Contains(d.lines, l):
		d.lines = append(d.lines, l)
		d.draw("")
	case step || time.Since(d.at) >= drawEvery:
		d.draw("")
	}
}

// draw replaces the drawn lines. stays is a permanent text above them.
func (d *Display) draw(stays string) {
	var text strings.Builder
	if d.drawn > 0 {
		fmt.Fprintf(&text, "\x1b[%dA\x1b[J", d.drawn)
	}
	text.WriteString(stays)
	width, _, err := term.GetSize(int(d.terminal.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	d.drawn, d.at = 0, time.Now()
	for i, l := range d.lines {
		line := l.drawn(width)
		if i == mostLines-1 && len(d.lines) > mostLines {
			line = fmt.Sprintf("and %d more", len(d.lines)-i)
		}
		text.WriteString(fit(line, width-1) + "\n")
		if d.drawn++; d.drawn == mostLines {
			break
		}
	}
	_, _ = io.WriteString(d.out, text.String()) // a failed write would show nothing anyway
}
