// Package progress shows on a terminal or in a log how far things have come.
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

// Display shows a line for each thing under way: on a terminal with a bar, drawn anew as
// it moves, and elsewhere written for every step and every fifth of it. Safe for
// concurrent use.
type Display struct {
	out      io.Writer
	terminal *os.File // nil: lines
	ended    chan struct{}
	clock    sync.WaitGroup

	mu    sync.Mutex
	lines []*Line
	drawn int // lines on the terminal
	at    time.Time
	over  bool
}

const (
	mostLines   = 16                     // are drawn at most, so that they fit onto a terminal
	drawEvery   = 100 * time.Millisecond // at most, however fast things move
	redrawEvery = 500 * time.Millisecond // where nothing moves
)

// New makes a display on out. It is to be ended with Done.
func New(out io.Writer) *Display {
	d := &Display{out: out, ended: make(chan struct{})}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		d.terminal = f
		d.clock.Go(d.redraw)
	}
	return d
}

// redraw shows how the time goes by.
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

// Line begins a line. Without a name it shows the step alone, for what is the only thing
// under way. It is to be ended with its own Done, or the display's.
func (d *Display) Line(name string) *Line {
	return &Line{display: d, name: OneLine(name), began: time.Now()}
}

// Say writes a line that stays.
func (d *Display) Say(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.terminal != nil {
		d.draw(OneLine(text) + "\n")
		return
	}
	fmt.Fprintln(d.out, OneLine(text))
}

// Done takes all lines away, so that something else can be written. It may be called
// again; nothing is shown any more.
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

// changed shows that a line has come further; at once where that is a new step.
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

// draw draws the lines in the place of those that are there, below what stays.
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
	_, _ = io.WriteString(d.out, text.String()) // a failed write shows nothing anyway
}
