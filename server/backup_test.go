package server_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// TestBackup copies a service that is at work, and starts another one on the copy: texts are
// there, and a recording is recognized to its end at once.
func TestBackup(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "from the captions"})
		said, _ := text(t, s.link(t, "https://video.example/watch?v="+video))
		id, release := s.heldJob(t, "a recording")
		defer release()
		o.Blobs = s.blobs
		archive := filepath.Join(t.TempDir(), "backup.tar")
		made, err := storetest.Open(t, o).Backup(t.Context(), archive)
		require.NoError(t, err)
		require.Zero(t, made.Missing)
		require.Positive(t, made.Blobs)

		restored, dir := o, t.TempDir()
		restored.Database, restored.Blobs = emptyDatabase(t, o), filepath.Join(dir, "blobs")
		_, err = store.Restore(t.Context(), restored, archive)
		require.NoError(t, err)
		requireSound(t, restored)
		again := startIn(t, restored, dir)
		key := as(s.Key) // the key is in the copy
		a := again.get(t, "/v1/library/transcripts/video_site/"+video, key)
		require.Equal(t, 200, a.StatusCode, a.body)
		assert.Contains(t, a.body, said)
		require.Eventually(t, func() bool {
			return again.get(t, "/v1/transcript/job/"+id, key).object(t)["status"] == "success"
		}, 20*time.Second, 50*time.Millisecond, "before the process that was backed up would be taken for dead")
	})
}

// requireSound verifies a store.
func requireSound(t *testing.T, o store.Options) {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	require.NoError(t, err)
	found, err := s.Verify(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, f := range found {
		require.Equal(t, engine.OK, f.Status, f)
	}
	require.NoError(t, s.Close())
}

// emptyDatabase returns the name of a database of the same kind without tables.
func emptyDatabase(t *testing.T, o store.Options) string {
	t.Helper()
	if storetest.IsPostgres(o) {
		return storetest.EmptyPostgres(t)
	}
	return "sqlite:" + filepath.Join(t.TempDir(), "restored.db")
}
