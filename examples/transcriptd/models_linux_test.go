package main

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/programtest"
)

// On a terminal it asks, and goes ahead with a yes alone, with a bar for each file.
func TestModelsPullAsks(t *testing.T) {
	t.Parallel()
	m := newModelMirror(t)
	for _, tt := range []struct {
		typed string
		code  int
	}{{"\n", exitFailure}, {"no\n", exitFailure}, {"y\n", exitOK}} {
		asked := make(chan struct{})
		tell := sync.OnceFunc(func() { close(asked) })
		tty := programtest.NewTerminal(t, 120, func(shown string) {
			if strings.Contains(shown, "Go on? [y/N] ") {
				tell()
			}
		})
		cmd := program(t, m.env, "models", "pull", "small", "--mirror", m.URL)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty.TTY, tty.TTY, tty.TTY
		require.NoError(t, cmd.Start())
		<-asked
		tty.Type(t, tt.typed)
		_ = cmd.Wait() // the state tells
		shown := tty.Close(t)
		assert.Equal(t, tt.code, cmd.ProcessState.ExitCode(), shown)
		installed, err := filepath.Glob(filepath.Join(strings.TrimPrefix(m.env[1], "TRANSCRIPTD_MODELS="), "small-*"))
		require.NoError(t, err)
		if tt.code != exitOK {
			assert.Contains(t, shown, "nothing was downloaded")
			assert.Empty(t, installed)
			continue
		}
		assert.Contains(t, shown, "█")
		assert.Len(t, installed, 1)
	}
}
