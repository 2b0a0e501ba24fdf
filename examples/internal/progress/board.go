package progress

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/term"
)

// Board is a line for each thing that runs: drawn anew on a terminal, and elsewhere
// written whenever it has changed. Safe for concurrent use.
type Board struct {
	out      io.Writer
	terminal *os.File // nil: lines

	mu    sync.Mutex
	lines []boardLine
	drawn int // lines on the terminal
}

type boardLine struct{ name, state string }

// mostLines are drawn at most, so that they fit onto a terminal.
const mostLines = 16

// NewBoard makes a board on out. It is to be ended with Done.
func NewBoard(out io.Writer) *Board {
	b := &Board{out: out}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		b.terminal = f
	}
	return b
}

// Set shows how far a thing has come; with an empty state it is taken away.
func (b *Board) Set(name, state string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name, state = oneLine(name), oneLine(state)
	at := slices.IndexFunc(b.lines, func(l boardLine) bool { return l.name == name })
	switch {
	case at < 0 && state == "", at >= 0 && b.lines[at].state == state:
		return
	case state == "":
		b.lines = slices.Delete(b.lines, at, at+1)
	case at < 0:
		b.lines = append(b.lines, boardLine{name, state})
	default:
		b.lines[at].state = state
	}
	switch {
	case b.terminal != nil:
		b.draw("")
	case state != "":
		fmt.Fprintf(b.out, "%s: %s\n", name, state)
	}
}

// Say writes a line that stays.
func (b *Board) Say(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.terminal != nil {
		b.draw(oneLine(line) + "\n")
		return
	}
	fmt.Fprintln(b.out, oneLine(line))
}

// Done takes the lines away that are drawn.
func (b *Board) Done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = nil
	if b.terminal != nil {
		b.draw("")
	}
}

// draw draws the lines in the place of those that are there, below what stays.
func (b *Board) draw(stays string) {
	var text strings.Builder
	if b.drawn > 0 {
		fmt.Fprintf(&text, "\x1b[%dA\x1b[J", b.drawn)
	}
	text.WriteString(stays)
	width, _, err := term.GetSize(int(b.terminal.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	b.drawn = 0
	for i, l := range b.lines {
		line := l.name + ": " + l.state
		if i == mostLines-1 && len(b.lines) > mostLines {
			line = fmt.Sprintf("and %d more", len(b.lines)-i)
		}
		if runes := []rune(line); len(runes) >= width {
			line = string(runes[:width-1])
		}
		text.WriteString(line + "\n")
		if b.drawn++; b.drawn == mostLines {
			break
		}
	}
	_, _ = io.WriteString(b.out, text.String()) // a failed write shows nothing anyway
}

// oneLine keeps what comes from elsewhere from steering the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) {
			return ' '
		}
		return r
	}, s)
}
