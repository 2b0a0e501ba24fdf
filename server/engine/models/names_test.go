package models_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// Links to other files lie where a pull writes: none of those files is changed, the
// folder can be listed all the same, and the next pull puts a file in their place.
func TestPullWritesThroughNoLink(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	precious := filepath.Join(t.TempDir(), "precious")
	require.NoError(t, os.WriteFile(precious, []byte("precious"), 0o600))
	require.NoError(t, b.pull(t.Context(), "small"))
	final := b.state(t, "small").Path
	require.NoError(t, os.Remove(final))
	e := b.small()
	for _, name := range []string{final, filepath.Join(b.Dir(), e.SHA256+".part"), filepath.Join(b.Dir(), e.SHA256+".etag")} {
		require.NoError(t, os.Symlink(precious, name))
	}

	assert.Equal(t, models.StateDamaged, b.state(t, "small").State)
	require.NoError(t, b.pull(t.Context(), "small"))
	b.installed(t)
	st, err := os.Lstat(final)
	require.NoError(t, err)
	assert.True(t, st.Mode().IsRegular())
	kept, err := os.ReadFile(precious)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(kept))
}
