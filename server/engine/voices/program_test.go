package voices_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/installed"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/voices"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// fake writes an interpreter, and returns its path.
func fake(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bin", "python")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700)) //nolint:gosec // it is run
	return path
}

// spoken writes a short recording.
func spoken(t *testing.T) engine.Audio {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spoken.wav")
	require.NoError(t, speechtest.WriteFile(path, make([]byte, 32000)))
	return recording(t, path)
}

func TestBrokenEnvironments(t *testing.T) {
	t.Parallel()
	audio := spoken(t)
	for name, tt := range map[string]struct {
		python string
		code   transcript.Code
		says   string
	}{
		"missing":         {filepath.Join(t.TempDir(), "nowhere"), transcript.ConfigError, "make setup"},
		"old environment": {fake(t, `echo Traceback >&2; echo "ModuleNotFoundError: No module named 'onnxruntime'" >&2; exit 1`), transcript.ConfigError, "make setup"},
		"no model":        {fake(t, `echo "onnxruntime.capi.onnxruntime_pybind11_state.NoSuchFile: [ONNXRuntimeError] : 3 : NO_SUCHFILE" >&2; exit 1`), transcript.ConfigError, "make setup"},
		"fails":           {fake(t, `echo "MemoryError" >&2; exit 1`), transcript.Internal, "ended with exit code 1: MemoryError"},
		"no answer":       {fake(t, `exit 0`), transcript.Internal, "cannot be read"},
		"half an answer":  {fake(t, `printf '{"turns": [[0, 1, 1], [1'`), transcript.Internal, "cannot be read"},
		"another answer":  {fake(t, `printf '{"speech": [], "embeddings": [[0.1]]}'`), transcript.Internal, "unknown field"},
		"no end":          {fake(t, `exec yes '[0, 1, 1],'`), transcript.Internal, "too much output"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := voices.New(enginetest.Host(t), voices.Options{Python: tt.python})
			require.NoError(t, err)
			_, err = v.Diarize(t.Context(), audio, engine.DiarizeOptions{})
			var e *transcript.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tt.code, e.Code)
			assert.Equal(t, "voices", e.Details["engine"])
			said := ""
			for ; err != nil; err = errors.Unwrap(err) {
				said += err.Error() + "\n"
			}
			assert.Contains(t, said, tt.says)
			if tt.code == transcript.ConfigError {
				assert.Equal(t, engine.Broken, cured(v.Examine(t.Context()), tt.says))
			}
			assert.False(t, voices.Installed(tt.python))
		})
	}
}

// cured returns Broken if each finding has a status that is not OK, and a cure.
func cured(found []engine.Finding, cure string) engine.Condition {
	for _, f := range found {
		if f.Status == engine.OK || f.Cure != "run "+cure+" in the checkout" && f.Cure != "run "+cure+" in the checkout." || f.Fails == "" {
			return f.Status
		}
	}
	return engine.Broken
}

func TestNumbersOfSpeakers(t *testing.T) {
	t.Parallel()
	v, err := voices.New(enginetest.Host(t), voices.Options{Python: fake(t, "exit 1")})
	require.NoError(t, err)
	for _, n := range []int{-1, transcript.MaxSpeakers + 1} {
		_, err := v.Diarize(t.Context(), spoken(t), engine.DiarizeOptions{Speakers: n})
		assert.ErrorIs(t, err, transcript.InvalidRequest, "%d speakers", n)
	}
}

// watched is a host that keeps what its programs may read, and the folder in which they ran.
type watched struct {
	engine.Runner
	mu       sync.Mutex
	commands []engine.Command
}

func (w *watched) Run(ctx context.Context, c engine.Command) (engine.Exit, error) {
	w.mu.Lock()
	w.commands = append(w.commands, c)
	w.mu.Unlock()
	return w.Runner.Run(ctx, c)
}

// Embeddings are biometric data: the program may write nothing and has no network, and nothing of it
// is left in the folder of the host. TestBrokenEnvironments refuses an answer with more than turns.
func TestProgramLeavesNothing(t *testing.T) {
	t.Parallel()
	python := installed.WhisperPython(t)
	host := enginetest.Host(t)
	programs := &watched{Runner: host.Programs}
	host.Programs = programs
	v, err := voices.New(host, voices.Options{Python: python})
	require.NoError(t, err)
	audio := recording(t, speechtest.Say(t, "Nobody asked me about it."))
	turns, err := v.Diarize(t.Context(), audio, engine.DiarizeOptions{})
	require.NoError(t, err)
	require.Len(t, turns, 1)
	require.Len(t, programs.commands, 1)
	c := programs.commands[0]
	assert.Empty(t, c.Writes)
	assert.Empty(t, c.Dir)
	assert.Nil(t, c.Network)
	assert.Equal(t, []string{filepath.Dir(filepath.Dir(python)), audio.Path}, c.Reads)
	require.NoError(t, filepath.WalkDir(host.Dir, func(path string, entry os.DirEntry, err error) error {
		assert.True(t, err != nil || entry.IsDir(), path)
		return err
	}))
}
