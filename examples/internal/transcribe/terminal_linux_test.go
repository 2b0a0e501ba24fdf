package transcribe

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/internal/programtest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

func TestBarOnTerminal(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(&service{})
	t.Cleanup(srv.Close)
	screen := programtest.NewTerminal(t, 80)
	var stdout writer
	code := run(t.Context(), []string{"--server", srv.URL, recording(t)}, func(string) string { return key }, &stdout, screen.TTY)
	drawn := screen.Close(t)
	assert.Equal(t, exitOK, code)
	assert.Equal(t, spoken, string(stdout))
	assert.Contains(t, drawn, "recognizing")
	assert.NotContains(t, drawn, "recognizing 40%\r\n", "a bar, no lines")
	assert.NotRegexp(t, `turn[^\n]*%`, drawn, "what waits has no share")
}

// A line for each item that runs is drawn anew, and taken away in the end.
func TestManyOnTerminal(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	release := sync.OnceFunc(s.Engine.HoldCaptions())
	defer release()
	screen := programtest.NewTerminal(t, 80, func(shown string) {
		if strings.Contains(shown, ": running") {
			release()
		}
	})
	var stdout writer
	code := run(t.Context(), []string{"--server", s.URL, first, second}, func(string) string { return s.Key }, &stdout, screen.TTY)
	drawn := screen.Close(t)
	assert.Equal(t, exitOK, code, drawn)
	assert.Contains(t, drawn, "2 links: 0 of 2 done, 0 failed")
	assert.Regexp(t, `/watch\?v=\w+: running`, drawn)
	assert.Contains(t, drawn, "\x1b[1A\x1b[J", "lines are taken away")
	assert.Equal(t, 2, strings.Count(string(stdout), "hello world"))
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }
