package voices_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/installed"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/voices"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

// real returns the adapter with the environment that make setup installs.
func real(t *testing.T) *voices.Voices {
	t.Helper()
	v, err := voices.New(enginetest.Host(t), voices.Options{Python: installed.WhisperPython(t)})
	require.NoError(t, err)
	require.NoError(t, v.Check(t.Context()))
	return v
}

func recording(t *testing.T, path string) engine.Audio {
	t.Helper()
	rec, err := speech.Open(path)
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	return engine.Audio{Path: path, Duration: rec.Duration()}
}

func TestSpeechIsFound(t *testing.T) {
	t.Parallel()
	v := real(t)
	path, starts := speechtest.Recite(t, 3*time.Second, "The quick brown fox jumps over the lazy dog.", "Nobody asked me about it.")
	spans, err := v.Speech(t.Context(), recording(t, path))
	require.NoError(t, err)
	require.Len(t, spans, 2)
	for i, s := range spans {
		assert.InDelta(t, starts[i].Seconds(), s.Start, 0.3)
		assert.Less(t, s.Start, s.End)
	}
	turns, err := v.Diarize(t.Context(), recording(t, path), engine.DiarizeOptions{})
	require.NoError(t, err)
	require.Len(t, turns, 2)
	assert.Equal(t, []int{1, 1}, []int{turns[0].Speaker, turns[1].Speaker})
}

func TestNewWantsAPath(t *testing.T) {
	t.Parallel()
	for _, python := range []string{"", "python3", "bin/python"} {
		_, err := voices.New(engine.Host{}, voices.Options{Python: python})
		assert.ErrorContains(t, err, "Python", python)
	}
}
