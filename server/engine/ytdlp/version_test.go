package ytdlp_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// counting records each time that the version is asked for.
const counting = `case "$*" in *--version*) echo x >>"$here/asked";; esac; `

func asked(t *testing.T, program string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(filepath.Dir(program), "asked"))
	require.NoError(t, err)
	return strings.Count(string(data), "x")
}

// Nobody has to wait for a program that takes its time, and all who do get the one
// answer.
func TestSlowVersion(t *testing.T) {
	t.Parallel()
	program := fake{script: counting + `read go <"$here/gate"`}.program(t)
	gate := filepath.Join(filepath.Dir(program), "gate")
	require.NoError(t, syscall.Mkfifo(gate, 0o600))
	b := newBench(t, program)
	require.ErrorIs(t, b.Check(t.Context()), context.DeadlineExceeded)
	require.ErrorIs(t, b.Check(t.Context()), context.DeadlineExceeded)

	told := make(chan string)
	go func() {
		v, err := b.Version(t.Context())
		assert.NoError(t, err)
		told <- v
	}()
	require.NoError(t, os.WriteFile(gate, []byte("go\n"), 0o600)) // returns when it is read
	assert.Equal(t, "2023.03.04", <-told)
	require.NoError(t, b.Check(t.Context()))
	assert.Equal(t, 1, asked(t, program))
}

// A program that was replaced is asked again, also when the one before was too old.
func TestReplacedProgram(t *testing.T) {
	t.Parallel()
	program := fake{version: "2020.01.01", script: counting}.program(t)
	b := newBench(t, program)
	for range 2 {
		_, err := b.Version(t.Context())
		require.ErrorIs(t, err, transcript.ConfigError)
	}
	assert.Equal(t, 1, asked(t, program))

	dir := filepath.Dir(program)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "version"), []byte("2026.08.19\n"), 0o600))
	// By another program: a file that this one has just written may not be run.
	require.NoError(t, exec.Command("cp", "--remove-destination", "testdata/yt-dlp", program).Run())
	for range 2 {
		v, err := b.Version(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "2026.08.19", v)
	}
	assert.Equal(t, 2, asked(t, program))

	require.NoError(t, os.Remove(program))
	assert.ErrorIs(t, b.Check(t.Context()), transcript.ConfigError)
}
