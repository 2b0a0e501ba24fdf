package programtest

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Terminal is a pseudo terminal.
type Terminal struct {
	// TTY is the program's end of the terminal.
	TTY    *os.File
	screen *os.File
	seen   chan []byte
}

// NewTerminal makes a terminal with that many columns; 0 means unknown. Each watch function gets
// all output so far, whenever there is more.
func NewTerminal(t testing.TB, columns uint16, watch ...func(shown string)) *Terminal {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
	p := &Terminal{TTY: tty, screen: screen, seen: make(chan []byte, 1)}
	go func() {
		var shown []byte
		for part := make([]byte, 4096); ; {
			n, err := screen.Read(part)
			shown = append(shown, part[:n]...)
			for _, see := range watch {
				see(string(shown))
			}
			if err != nil { // EIO when the other end is closed
				p.seen <- shown
				return
			}
		}
	}()
	return p
}

// Type writes text like a person at the keyboard.
func (p *Terminal) Type(t testing.TB, text string) {
	t.Helper()
	_, err := p.screen.WriteString(text)
	require.NoError(t, err)
}

// Close closes the terminal and returns all output.
func (p *Terminal) Close(t testing.TB) string {
	t.Helper()
	require.NoError(t, p.TTY.Close())
	shown := <-p.seen
	require.NoError(t, p.screen.Close())
	return string(shown)
}
