package main

import (
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal is a new pseudo terminal: what is written to its second end can be
// read from the first.
func terminal(t *testing.T) (first, second *os.File) {
	t.Helper()
	first, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(first.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(first.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	second, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return first, second
}

func TestBarOnTerminal(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(&service{})
	t.Cleanup(srv.Close)
	screen, tty := terminal(t)
	seen := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(screen) // ends with EIO when the other end is closed
		seen <- b
	}()
	var stdout writer
	code := run(t.Context(), []string{"--server", srv.URL, recording(t)}, func(string) string { return key }, &stdout, tty)
	require.NoError(t, tty.Close())
	drawn := string(<-seen)
	require.NoError(t, screen.Close())
	assert.Equal(t, exitOK, code)
	assert.Equal(t, text, string(stdout))
	assert.Contains(t, drawn, "asr_running")
	assert.Contains(t, drawn, "55%")
	assert.Contains(t, drawn, "█")
	assert.NotContains(t, drawn, "asr_running 40%\n", "a bar, no lines")
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }
