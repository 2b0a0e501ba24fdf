package models_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// goodParakeet refuses any argument but --help, as the program does.
const goodParakeet = "#!/bin/sh\n[ \"$1\" = --help ] || { echo \"error: unknown argument: $1\" >&2; exit 1; }\n"

// parakeetWith is a bench whose table has an engine, and a model for each program.
func parakeetWith(t *testing.T, all ...packed) (b *bench, archiveFile string) {
	t.Helper()
	b, archiveFile = engineWith(t, all...)
	bird := b.small()
	bird.Name, bird.Program = "parakeet", models.ParakeetCLI
	b.options.Table = append(b.options.Table, bird)
	b.open(t, b.options)
	return b, archiveFile
}

func TestBestOfEachProgram(t *testing.T) {
	t.Parallel()
	b, file := parakeetWith(t, program("bin/whisper-cli", good), program("bin/parakeet-cli", goodParakeet))
	require.NoError(t, b.pullFrom(t.Context(), "parakeet", models.Sources{Files: []string{file}}))
	best, err := b.Best(t.Context(), models.ParakeetCLI)
	require.NoError(t, err)
	assert.Equal(t, "parakeet", best.Model.Name)
	assert.True(t, best.Pulled)
	whisper := b.state(t, "whisper-cli").Path
	assert.Equal(t, filepath.Join(filepath.Dir(whisper), "parakeet-cli"), best.Program)
	_, err = b.Best(t.Context(), models.WhisperCLI)
	require.ErrorContains(t, err, "no model was pulled")

	require.NoError(t, b.pull(t.Context(), "small"))
	best, err = b.Best(t.Context(), models.WhisperCLI)
	require.NoError(t, err)
	assert.Equal(t, "small", best.Model.Name)
	assert.Equal(t, whisper, best.Program)

	// The program that an option names has the other one in its folder.
	b.options.Program = filepath.Join(t.TempDir(), "my-whisper")
	require.NoError(t, os.WriteFile(b.options.Program, []byte(good), 0o700)) //nolint:gosec // it is to be run
	b.open(t, b.options)
	_, err = b.Best(t.Context(), models.ParakeetCLI)
	require.ErrorContains(t, err, "parakeet has no program that runs it: "+filepath.Dir(b.options.Program)+"/parakeet-cli is not installed")
}

// A model brings the engine along if the system's whisper.cpp is older than its parakeet-cli. An
// engine that was pulled and lacks the program is not pulled again.
func TestEngineWithoutParakeet(t *testing.T) {
	t.Parallel()
	system := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(system, "whisper-cli"), []byte(good), 0o700)) //nolint:gosec // it is to be run
	b, file := parakeetWith(t, program("whisper-cli", good))
	b.options.Path = system
	b.open(t, b.options)
	plan, err := b.Plan(t.Context(), "small", models.Sources{})
	require.NoError(t, err)
	assert.Len(t, plan.Downloads, 1)
	plan, err = b.Plan(t.Context(), "parakeet", models.Sources{Files: []string{file}})
	require.NoError(t, err)
	assert.Len(t, plan.Downloads, 2)
	assert.Equal(t, "parakeet-cli is not installed", plan.Reason)
	require.NoError(t, b.Pull(t.Context(), plan, nil))
	require.NoError(t, b.Remove(t.Context(), "parakeet"))
	_, err = b.Plan(t.Context(), "parakeet", models.Sources{})
	require.ErrorContains(t, err, "the engine that was pulled: ")
	require.ErrorContains(t, err, "parakeet-cli is not installed")
}

// A license that wants its author named has one, and each entry is pinned.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, e := range models.Table() {
		assert.Equal(t, strings.HasPrefix(e.License, "CC-BY"), e.Author != "", e.Name)
		assert.Contains(t, e.Terms(), e.Author, e.Name)
		assert.Contains(t, e.Terms(), e.License, e.Name)
		assert.Regexp(t, `^[0-9a-f]{64}$`, e.SHA256, e.Name)
		assert.Greater(t, e.Bytes, int64(1_000_000), e.Name)
		assert.Regexp(t, `^https://[^/]+/.*/(resolve/[0-9a-f]{40}|download/b\d+)/[^/]+$`, e.URL, e.Name)
	}
}
