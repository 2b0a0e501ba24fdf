package server_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/storetest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// TestBackup copies a service that is at work as OPERATIONS.md says, first the database and
// then the blobs, and starts another one on the copies: texts are there, and a recording
// is recognized to its end.
func TestBackup(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "from the captions"})
		said, _ := text(t, s.link(t, "https://video.example/watch?v="+video))
		id, release := s.heldJob(t, "a recording")
		defer release()

		restored, dir := o, t.TempDir()
		restored.Database = copyDatabase(t, o)
		require.NoError(t, os.CopyFS(filepath.Join(dir, "blobs"), os.DirFS(s.blobs)))
		if storetest.IsPostgres(o) { // or it would take half a minute to find them dead
			_, err := storetest.SQL(t, restored).ExecContext(t.Context(), "DELETE FROM processes")
			require.NoError(t, err)
		}
		again := startIn(t, restored, dir)
		key := as(s.Key) // the key is in the copy
		a := again.get(t, "/v1/library/transcripts/video_site/"+video, key)
		require.Equal(t, 200, a.StatusCode, a.body)
		assert.Contains(t, a.body, said)
		require.Eventually(t, func() bool {
			return again.get(t, "/v1/transcript/job/"+id, key).object(t)["status"] == "success"
		}, time.Minute, 50*time.Millisecond)
	})
}

// copyDatabase copies a database that is being served, and returns the name of the copy.
func copyDatabase(t *testing.T, o store.Options) string {
	t.Helper()
	if path, isFile := strings.CutPrefix(o.Database, "sqlite:"); isFile {
		backup := filepath.Join(t.TempDir(), "copy.db")
		_, err := storetest.SQL(t, o).ExecContext(t.Context(), "VACUUM INTO ?", backup)
		require.NoError(t, err)
		require.NotEqual(t, path, backup)
		return "sqlite:" + backup
	}
	u, err := url.Parse(o.Database)
	require.NoError(t, err)
	dump, name := filepath.Join(t.TempDir(), "copy.dump"), strings.TrimPrefix(u.Path, "/")+"_restored"
	run(t, "pg_dump", "--format=custom", "--file="+dump, o.Database)
	_, err = storetest.SQL(t, o).ExecContext(t.Context(), "CREATE DATABASE "+name+" TEMPLATE template0")
	require.NoError(t, err)
	admin := storetest.SQL(t, o)
	t.Cleanup(func() {
		_, err := admin.Exec("DROP DATABASE " + name + " WITH (FORCE)")
		require.NoError(t, err)
	})
	u.Path = "/" + name
	run(t, "pg_restore", "--no-owner", "--dbname="+u.String(), dump)
	return u.String()
}

// run runs a program of PostgreSQL.
func run(t *testing.T, program string, args ...string) {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
	require.NoError(t, err)
	if len(found) > 0 {
		program = found[len(found)-1]
	}
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}
