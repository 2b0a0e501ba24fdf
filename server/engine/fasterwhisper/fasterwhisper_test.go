package fasterwhisper_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/installed"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/fasterwhisper"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const said = "The quick brown fox jumps over the lazy dog."

func TestConformance(t *testing.T) {
	t.Parallel()
	r, err := fasterwhisper.New(enginetest.Host(t), fasterwhisper.Options{Python: installed.WhisperPython(t)})
	require.NoError(t, err)
	enginetest.Recognizer(t, r, enginetest.Sample{Path: speechtest.Say(t, said), Language: "en", Text: said})
}

// watched is a host that notes how its programs end, and hands out what ends each of them.
type watched struct {
	engine.Runner
	ends  chan context.CancelFunc
	exits chan error
}

func (w watched) Run(ctx context.Context, c engine.Command) (engine.Exit, error) {
	ctx, end := context.WithCancel(ctx)
	w.ends <- end
	exit, err := w.Runner.Run(ctx, c)
	w.exits <- err
	return exit, err
}

// A program that is killed is started again for the next recording.
func TestProgramIsKilled(t *testing.T) {
	t.Parallel()
	python := installed.WhisperPython(t)
	host := enginetest.Host(t)
	programs := watched{host.Programs, make(chan context.CancelFunc, 2), make(chan error, 2)}
	host.Programs = programs
	r, err := fasterwhisper.New(host, fasterwhisper.Options{Python: python})
	require.NoError(t, err)
	audio := recording(t, speechtest.Say(t, said))
	hear := func() string {
		heard, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: "en"})
		require.NoError(t, err)
		require.Len(t, heard.Segments, 1)
		assert.NotEmpty(t, heard.Segments[0].Words)
		return heard.Segments[0].Text
	}
	text := hear()
	end := <-programs.ends
	end()
	require.ErrorIs(t, <-programs.exits, context.Canceled)
	assert.Equal(t, text, hear(), "by another program")
	assert.Empty(t, programs.exits, "it waits for the next recording")
}

// An environment without the packages, and an interpreter that ends in the middle, are told with
// their last words.
func TestBrokenEnvironments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, script string) string {
		path := filepath.Join(dir, name, "bin", "python")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(script), 0o700)) //nolint:gosec // it is run
		return path
	}
	audio := recording(t, speechtest.Say(t, "seven"))
	for name, tt := range map[string]struct {
		python string
		code   transcript.Code
		says   string
	}{
		"missing":       {filepath.Join(dir, "nowhere"), transcript.ConfigError, "make setup"},
		"no packages":   {write("no-packages", "#!/bin/sh\necho 'Traceback' >&2; echo \"ModuleNotFoundError: No module named 'numpy'\" >&2; exit 1\n"), transcript.Internal, "ended with exit code 1: ModuleNotFoundError: No module named 'numpy'"},
		"ends half way": {write("half-way", "#!/bin/sh\nread line; printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\n{'; exit 9\n"), transcript.Internal, ""},
		"talks":         {write("talks", "#!/bin/sh\necho Hello\n"), transcript.Internal, "malformed HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := fasterwhisper.New(enginetest.Host(t), fasterwhisper.Options{Python: tt.python})
			require.NoError(t, err)
			_, err = r.Recognize(t.Context(), audio, engine.RecognizeOptions{})
			var e *transcript.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tt.code, e.Code)
			assert.Equal(t, "faster-whisper", e.Details["engine"])
			var chain []string
			for ; err != nil; err = errors.Unwrap(err) {
				chain = append(chain, err.Error())
			}
			assert.Contains(t, strings.Join(chain, "\n"), tt.says)
		})
	}
}

func TestNewWantsAPath(t *testing.T) {
	t.Parallel()
	for _, python := range []string{"", "python3", "bin/python"} {
		_, err := fasterwhisper.New(engine.Host{}, fasterwhisper.Options{Python: python})
		assert.ErrorContains(t, err, "Python", python)
	}
}

func recording(t *testing.T, path string) engine.Audio {
	t.Helper()
	rec, err := speech.Open(path)
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	return engine.Audio{Path: path, Duration: rec.Duration()}
}
