package service_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// install writes a program that does nothing and returns its path.
func install(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700)) //nolint:gosec // it is to be run
	return path
}

// putModel writes a file that begins as a model does, and has so many bytes.
func putModel(t *testing.T, dir, name string, size int) {
	t.Helper()
	var head bytes.Buffer
	require.NoError(t, binary.Write(&head, binary.LittleEndian, []int32{0x67676d6c, 51865, 1500, 512, 8, 6}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), append(head.Bytes(), make([]byte, size)...), 0o600))
}

func TestChoose(t *testing.T) { // it is not parallel: it sets PATH
	programs, folder := t.TempDir(), t.TempDir()
	flags := service.RecognizerFlags{ModelsFlag: service.ModelsFlag{Models: folder}}
	flags.Recognizers.FasterWhisper = "/none"
	choose := func() service.Choice {
		t.Helper()
		c, err := flags.Choose(t.Context())
		require.NoError(t, err)
		return c
	}
	t.Setenv("PATH", programs)
	assert.Equal(t, service.ASRNone, choose().ASR.Name, "nothing is there")

	install(t, programs, "pocketsphinx_continuous")
	assert.Equal(t, service.ASRPocketsphinx, choose().ASR.Name)

	python := install(t, t.TempDir(), "python")
	flags.Recognizers.FasterWhisper = python
	assert.Equal(t, service.ASRFasterWhisper, choose().ASR.Name)
	flags.Recognizers.FasterWhisper = "/none"
	assert.Equal(t, service.ASRPocketsphinx, choose().ASR.Name)
	install(t, programs, "whisper-cli")
	assert.Equal(t, service.ASRPocketsphinx, choose().ASR.Name, "a program without a model")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "ggml-large.bin"), make([]byte, 1<<20), 0o600))
	putModel(t, folder, "for-tests-ggml-large.bin", 1<<20)
	assert.Equal(t, service.ASRPocketsphinx, choose().ASR.Name, "files that are no models")

	putModel(t, folder, "ggml-tiny.bin", 10_000)
	putModel(t, folder, "ggml-small.en.bin", 20_010)
	putModel(t, folder, "ggml-small.bin", 20_000)
	flags.Recognizers.FasterWhisper = python
	found := choose()
	assert.Equal(t, service.ASRWhisperCLI, found.ASR.Name)
	assert.Equal(t, filepath.Join(folder, "ggml-small.bin"), found.ASR.Model, "the best, and for all languages")
	assert.Equal(t, filepath.Join(programs, "whisper-cli"), found.ASR.Program)
	assert.Equal(t, "found in "+folder, found.Why)
	require.NoError(t, found.Unused)

	// A pulled model that is damaged is told, and not used.
	table := models.Table()
	tiny := table[slices.IndexFunc(table, func(e models.Entry) bool { return e.Name == "tiny" })]
	at := filepath.Join(folder, tiny.Name+"-"+tiny.SHA256[:16])
	require.NoError(t, os.Mkdir(at, 0o700))
	putModel(t, at, tiny.File(), 0)
	for _, size := range []int64{tiny.Bytes - 1, tiny.Bytes} {
		require.NoError(t, os.Truncate(filepath.Join(at, tiny.File()), size))
		c := choose()
		assert.Equal(t, found.ASR, c.ASR)
		assert.ErrorContains(t, c.Unused, "pull")
	}

	flags.ASR.Name = service.ASRNone
	assert.Equal(t, service.ASRNone, choose().ASR.Name, "--asr has the last word")
}

// A pulled Parakeet is asked before a model of Whisper, and takes the place of PocketSphinx.
func TestChooseParakeet(t *testing.T) { // it is not parallel: it sets PATH
	programs, folder := t.TempDir(), t.TempDir()
	t.Setenv("PATH", programs)
	for _, name := range []string{"pocketsphinx_continuous", "whisper-cli", "parakeet-cli"} {
		install(t, programs, name)
	}
	content := []byte("a model")
	sum := sha256.Sum256(content)
	e := models.Entry{
		Name: "parakeet", Kind: models.KindModel, Program: models.ParakeetCLI, URL: "https://files.invalid/ggml-parakeet.bin",
		Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:]),
	}
	file := filepath.Join(folder, "parakeet-"+e.SHA256[:16], "ggml-parakeet.bin")
	require.NoError(t, os.Mkdir(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, content, 0o600))
	flags := service.RecognizerFlags{ModelsFlag: service.ModelsFlag{Models: folder, Table: []models.Entry{e}}}
	choose := func() service.Choice {
		t.Helper()
		c, err := flags.Choose(t.Context())
		require.NoError(t, err)
		return c
	}
	parakeet := service.ASR{Name: service.ASRParakeetCLI, Model: file, Program: filepath.Join(programs, "parakeet-cli"), SHA256: e.SHA256}
	assert.Equal(t, parakeet, choose().ASR)
	assert.Equal(t, "it was pulled", choose().Why)

	putModel(t, folder, "ggml-small.bin", 20_000)
	c := choose()
	assert.Equal(t, service.ASRWhisperCLI, c.ASR.Name)
	assert.Equal(t, &parakeet, c.ASR.Before)
	require.NoError(t, c.Unused)

	require.NoError(t, os.WriteFile(file, []byte("another"), 0o600))
	c = choose()
	assert.Equal(t, service.ASRWhisperCLI, c.ASR.Name)
	assert.Nil(t, c.ASR.Before)
	require.ErrorContains(t, c.Unused, "parakeet is damaged")
}

// Whoever is chosen is described in a line that names what is better.
func TestDescribeAChoice(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		service.ASRPocketsphinx: "pocketsphinx en-us (so): low: English only, and of real speech every second or third word is wrong; `transcriptd models pull small` installs a better recognizer",
		service.ASRNone:         "no recognizer (so): only links with captions can be transcribed; `transcriptd models pull small` installs a recognizer",
	} {
		says, err := service.Choice{RecognizerFlags: service.RecognizerFlags{ASR: service.ASR{Name: name}}, Why: "so"}.Describe()
		require.NoError(t, err)
		assert.Equal(t, want, says)
	}
}
