package service_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest" // recordings whose words are known
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// hears is a pair of programs that hear their own names.
func hears(t *testing.T, dir string) service.ASR {
	t.Helper()
	program := func(name, script string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700)) //nolint:gosec // it is to be run
		return path
	}
	model := func(name string, vocabulary int32) string {
		var head bytes.Buffer
		require.NoError(t, binary.Write(&head, binary.LittleEndian, []int32{0x67676d6c, vocabulary, 1500, 512, 8, 6}))
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, head.Bytes(), 0o600))
		return path
	}
	return service.ASR{
		Name: service.ASRWhisperCLI, Model: model("ggml-small.bin", 51865),
		Program: program("whisper-cli", `echo '{"result":{"language":"en"},"transcription":[{"offsets":{"from":0,"to":900},"text":" whisper","tokens":[]}]}' >heard.json`),
		Before: &service.ASR{
			Name: service.ASRParakeetCLI, Model: model("ggml-parakeet.bin", 8192),
			Program: program("parakeet-cli", `cat >&2 <<EOF
Segments (1):
Segment 0: [0 -> 100] "parakeet"
Tokens [1]:
  [ 0] id=    4 frame=  0 dur_idx= 0 dur_val= 0 p=0.9 plog=-1.1913 t0=   0 t1=  90 word_start=true "▁parakeet"
EOF`),
		},
	}
}

func TestByLanguage(t *testing.T) {
	t.Parallel()
	audio := engine.Audio{Path: filepath.Join(t.TempDir(), "noise.wav"), Duration: time.Second}
	require.NoError(t, speechtest.WriteFile(audio.Path, bytes.Repeat([]byte{1, 2}, 16000)))
	host := enginetest.Host(t)
	flags := service.RecognizerFlags{ASR: hears(t, t.TempDir())}
	r, err := flags.Recognizer(host)
	require.NoError(t, err)
	for _, tt := range []struct{ language, prompt, by, model string }{
		{"en", "", "parakeet-cli", "parakeet"},
		{"pt-BR", "", "parakeet-cli", "parakeet"},
		{"ja", "", "whisper-cli", "small"},
		{"nb", "", "whisper-cli", "small"},
		{"", "", "whisper-cli", "small"}, // only this one tells which language it hears
		{"en", "Grafana", "whisper-cli", "small"},
	} {
		heard, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: tt.language, Prompt: tt.prompt})
		require.NoError(t, err, tt)
		require.NotNil(t, heard.By, tt)
		assert.Equal(t, tt.by, heard.By.Name, tt)
		assert.Equal(t, tt.model, heard.By.Model, tt)
		require.Len(t, heard.Segments, 1, tt)
		assert.Equal(t, tt.by, heard.Segments[0].Text+"-cli", tt)
	}
	_, err = r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: "qaa"})
	require.ErrorIs(t, err, transcript.NotImplemented)

	info := r.Info()
	assert.Equal(t, "whisper-cli", info.Name)
	assert.True(t, info.Detects)
	assert.Equal(t, 2*time.Minute, info.Chunk)
	assert.Contains(t, info.Quality, "for 25 languages parakeet-cli parakeet")
	assert.Subset(t, info.Languages, []string{"mt", "ja", "nb"})

	checker, ok := r.(engine.Checker)
	require.True(t, ok)
	require.NoError(t, checker.Check(t.Context()))
	require.NoError(t, os.Remove(flags.ASR.Before.Program))
	require.ErrorContains(t, checker.Check(t.Context()), "parakeet-cli is not installed")
}
