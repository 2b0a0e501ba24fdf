package models_test

import (
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// Of two pulls at once one works and the other says so; the next finds all there.
func TestTwoPullsAtOnce(t *testing.T) {
	t.Parallel()
	var b *bench
	entered, release := make(chan struct{}), make(chan struct{})
	b = newBench(t, func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-release
		b.good(w, r)
	})
	other, err := models.Open(b.options)
	require.NoError(t, err)
	plan, err := other.Plan(t.Context(), "small", models.Sources{})
	require.NoError(t, err)
	var first sync.WaitGroup
	first.Go(func() { assert.NoError(t, b.pull(t.Context(), "small")) })
	<-entered
	require.ErrorIs(t, other.Pull(t.Context(), plan, nil), models.ErrBusy)
	require.ErrorIs(t, other.Remove(t.Context(), "small"), models.ErrBusy)
	require.NoError(t, os.Remove(filepath.Join(b.Dir(), ".lock")))
	require.ErrorIs(t, other.Pull(t.Context(), plan, nil), models.ErrBusy, "also without the folder's lock")
	close(release)
	first.Wait()
	require.NoError(t, other.Pull(t.Context(), plan, nil), "a plan of before")
	b.installed(t)
	assert.Len(t, b.requests(), 1)
}

// A partial file that somebody has put another in the place of gets no final name, and
// none is its own source.
func TestPullIntoAnothersFile(t *testing.T) {
	t.Parallel()
	var b *bench
	b = newBench(t, func(w http.ResponseWriter, r *http.Request) {
		part := b.partialFile(t)
		assert.NoError(t, os.Remove(part))
		assert.NoError(t, os.WriteFile(part, []byte("another one"), 0o600))
		b.good(w, r)
	})
	require.ErrorContains(t, b.pull(t.Context(), "small"), "pull again")
	b.noFalseNames(t)

	part := b.partialFile(t)
	require.NoError(t, os.WriteFile(part, b.data, 0o600))
	require.ErrorContains(t, b.pullFrom(t.Context(), "small", models.Sources{Files: []string{part}}), "name another file")
	whole, err := os.ReadFile(part)
	require.NoError(t, err)
	assert.Equal(t, b.data, whole)
	require.NoError(t, b.pull(t.Context(), "small"))
	b.installed(t)
}

// partialFile is the one that is there.
func (b *bench) partialFile(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(b.Dir(), "*.part"))
	require.NoError(t, err)
	if len(found) != 1 {
		t.Errorf("there are %d partial files", len(found))
		return ""
	}
	return found[0]
}
