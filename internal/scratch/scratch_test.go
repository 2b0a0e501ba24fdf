package scratch_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/scratch"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	d, err := scratch.New(base)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(d.Path(), "file"), nil, 0o600))
	st, err := os.Stat(d.Path())
	require.NoError(t, err)
	assert.Zero(t, st.Mode().Perm()&0o077, "others can look into it")
	require.NoError(t, d.Remove())
	assert.NoDirExists(t, d.Path())
}

// TestOnlyTheDeadAreRemoved makes a directory as a killed process leaves it,
// beside one that is in use and one that is not ours.
func TestOnlyTheDeadAreRemoved(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	living, err := scratch.New(base)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, living.Remove()) })
	dead, foreign := filepath.Join(base, "transcriptkit-dead"), filepath.Join(base, "another")
	for _, dir := range []string{dead, foreign} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "deep"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".lock"), nil, 0o600))
	}

	next, err := scratch.New(base)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, next.Remove()) })
	assert.NoDirExists(t, dead)
	assert.DirExists(t, foreign)
	assert.DirExists(t, living.Path())
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			d, err := scratch.New(base)
			if assert.NoError(t, err) {
				assert.DirExists(t, d.Path())
				assert.NoError(t, d.Remove())
			}
		})
	}
	all.Wait()
	left, err := os.ReadDir(base)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestNoSuchBase(t *testing.T) {
	t.Parallel()
	_, err := scratch.New(filepath.Join(t.TempDir(), "nothing"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
