package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // a PostgreSQL that the test starts by itself
)

// The copy has the keys of the service, and passes its verification.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, blobs := []string{"--db", newDatabase(t)}, filepath.Join(dir, "blobs")
	require.NoError(t, os.Mkdir(blobs, 0o700))
	must(t, append([]string{"accounts", "set", "acme"}, from...)...)
	must(t, append([]string{"keys", "create", "--account", "acme", "--name", "ci", "--scopes", "transcripts"}, from...)...)
	keys := must(t, append([]string{"keys", "list"}, from...)...).stdout
	from = append(from, "--blobs", blobs)
	for _, name := range []string{"b.tar", "folder"} {
		target := filepath.Join(dir, name)
		a := must(t, append([]string{"backup", "--to", target}, from...)...)
		assert.Contains(t, a.stderr, "has the database and 0 blobs of 0 B")
		assert.Empty(t, a.stdout)
		assert.Contains(t, must(t, "restore", "--check", "--from", target).stderr, "is whole")

		place := []string{"--db", newDatabase(t), "--blobs", filepath.Join(t.TempDir(), "blobs")}
		assert.Contains(t, must(t, append([]string{"restore", "--from", target}, place...)...).stderr, "is restored")
		assert.Equal(t, keys, must(t, append([]string{"keys", "list"}, place[:2]...)...).stdout)
		found := must(t, append([]string{"verify"}, place...)...).stdout
		assert.Equal(t, strings.Count(found, "\n"), strings.Count(found, "ok  "), found)

		a = call(t, append([]string{"restore", "--from", target}, place...)...)
		assert.Equal(t, exitFailure, a.code)
		assert.Contains(t, a.stderr, "is there: name a file that is not there with --db")
		a = call(t, append([]string{"backup", "--to", target}, from...)...)
		assert.Equal(t, exitFailure, a.code)
		assert.Contains(t, a.stderr, "is there: name a file or folder that is not")
	}
}

// Verify has an exit code for each state, as doctor.
func TestVerifyExitCodes(t *testing.T) {
	t.Parallel()
	o := storetest.SQLite(t)
	require.NoError(t, os.MkdirAll(filepath.Join(o.Blobs, "audio"), 0o700))
	flags := []string{"verify", "--db", o.Database, "--blobs", o.Blobs}
	must(t, flags...)
	litter := filepath.Join(o.Blobs, "audio", "litter")
	require.NoError(t, os.WriteFile(litter, []byte("x"), 0o600))
	must(t, flags...)
	before := time.Now().Add(-48 * time.Hour)
	require.NoError(t, os.Chtimes(litter, before, before))
	a := call(t, flags...)
	assert.Equal(t, exitDegraded, a.code)
	assert.Contains(t, a.stdout, "no row names audio/litter")
	_, err := storetest.SQL(t, o).ExecContext(t.Context(), `INSERT INTO recordings (account, external_id, media_key, content_type, title, bytes, until, created_at)
		VALUES ('acme', 'x', 'uploads/x', '', '', 1, '2100-01-01', '2026-01-01')`)
	require.NoError(t, err)
	a = call(t, flags...)
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stdout, "uploads/x is missing")
}

// A name that somebody has chosen for a file writes no line of its own, and steers no terminal.
func TestVerifyOfAHostileName(t *testing.T) {
	t.Parallel()
	o := storetest.SQLite(t)
	require.NoError(t, os.MkdirAll(filepath.Join(o.Blobs, "audio"), 0o700))
	hostile := filepath.Join(o.Blobs, "audio", "a\nbroken   blobs\x1b[2J\u202e")
	require.NoError(t, os.WriteFile(hostile, []byte("x"), 0o600))
	before := time.Now().Add(-48 * time.Hour)
	require.NoError(t, os.Chtimes(hostile, before, before))
	a := call(t, "verify", "--db", o.Database, "--blobs", o.Blobs)
	assert.Equal(t, exitDegraded, a.code)
	assert.Contains(t, a.stdout, "no row names audio/a broken blobs")
	assert.NotContains(t, a.stdout, "\nbroken")
	assert.False(t, strings.ContainsAny(a.stdout, "\x1b\u202e"), "%q", a.stdout)
}
