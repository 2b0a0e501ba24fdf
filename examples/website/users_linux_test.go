package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/examples/internal/programtest"
)

// What is typed at a terminal is asked for twice, and not shown; who interrupts gets a
// terminal back that shows what is typed.
func TestPasswordsAreTypedUnseen(t *testing.T) {
	t.Parallel()
	db := "--db=sqlite:" + filepath.Join(t.TempDir(), "website.db")
	startWebsite(t, db)
	hidden := func(terminal *programtest.Terminal) bool {
		state, err := unix.IoctlGetTermios(int(terminal.TTY.Fd()), unix.TCGETS)
		require.NoError(t, err)
		return state.Lflag&unix.ECHO == 0
	}
	const first = "correct horse battery\n"
	for name, typed := range map[string]string{"ada": first + first, "bob": first + "another horse\n", "eve": ""} {
		ctx, interrupt := context.WithCancel(context.WithoutCancel(t.Context()))
		defer interrupt()
		terminal := programtest.NewTerminal(t, 80)
		var out, errs bytes.Buffer
		code := make(chan int, 1)
		go func() { code <- run(ctx, []string{"users", "add", name, db}, terminal.TTY, &out, &errs) }()
		require.Eventually(t, func() bool { return hidden(terminal) }, time.Minute, time.Millisecond)
		if typed == "" {
			interrupt()
		} else {
			terminal.Type(t, typed)
		}
		got := <-code
		assert.Equal(t, name == "bob", got == 1, "%s: %s", name, errs.String())
		assert.False(t, hidden(terminal), name)
		if typed == "" {
			terminal.Type(t, "\n") // ends the reading that goes on behind the program's end
		}
		assert.NotContains(t, terminal.Close(t), "horse", name)
		assert.Equal(t, name == "bob", strings.Contains(errs.String(), "two passwords"), errs.String())
	}
}
