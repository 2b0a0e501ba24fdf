package main

import (
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/server/servertest"
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

// A line for each item that runs is drawn anew, and taken away in the end.
func TestBoardOnTerminal(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	release := sync.OnceFunc(s.Engine.HoldCaptions())
	defer release()
	screen, tty := terminal(t)
	seen := make(chan string, 1)
	go func() {
		var drawn strings.Builder
		for buffer := make([]byte, 4096); ; {
			n, err := screen.Read(buffer)
			drawn.Write(buffer[:n])
			if strings.Contains(drawn.String(), ": running") {
				release()
			}
			if err != nil { // EIO when the other end is closed
				seen <- drawn.String()
				return
			}
		}
	}()
	var stdout writer
	code := runWith(t.Context(), strings.NewReader(""), []string{"--server", s.URL, first, second}, func(string) string { return s.Key }, &stdout, tty)
	require.NoError(t, tty.Close())
	drawn := <-seen
	require.NoError(t, screen.Close())
	assert.Equal(t, exitOK, code, drawn)
	assert.Contains(t, drawn, "2 links: 0 of 2 done, 0 failed")
	assert.Regexp(t, `https://www\.youtube\.com/watch\?v=\w+: running`, drawn)
	assert.Contains(t, drawn, "\x1b[1A\x1b[J", "lines are taken away")
	assert.Equal(t, 2, strings.Count(string(stdout), "hello world"))
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }
