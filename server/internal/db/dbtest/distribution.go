package dbtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// RequireSound requires that the distribution's sqlite3 finds no fault in a SQLite file, and that
// it can copy the file, reindex it, dump it and read the dump. A service may work on the file
// meanwhile. The program is older than the SQLite of the service, but administrators still use it.
func RequireSound(t testing.TB, database string) {
	t.Helper()
	if _, err := exec.LookPath("sqlite3"); err != nil && os.Getenv("CI") == "" { //nolint:forbidigo // read by tests only: whether a skip is allowed
		t.Skip("sqlite3 is missing: apt install sqlite3")
	}
	file, dir := strings.TrimPrefix(database, "sqlite:"), t.TempDir()
	copied, read := filepath.Join(dir, "copy.db"), filepath.Join(dir, "read.db")
	assert.Equal(t, "ok\n", sqlite3(t, file, "PRAGMA integrity_check"))
	sqlite3(t, file, "VACUUM INTO '"+copied+"'")
	assert.Equal(t, "ok\n", sqlite3(t, copied, "REINDEX; PRAGMA integrity_check; PRAGMA foreign_key_check"))
	sqlite3(t, read, sqlite3(t, copied, ".dump"))
	const rows = "SELECT (SELECT count(*) FROM river_job), (SELECT count(*) FROM library_rows), (SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'sqlite_%')"
	assert.Equal(t, sqlite3(t, copied, rows), sqlite3(t, read, rows), "what the dump holds")
	assert.Equal(t, "ok\n", sqlite3(t, read, "PRAGMA integrity_check"))
}

// sqlite3 runs statements, and returns the output of the program.
func sqlite3(t testing.TB, file, statements string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sqlite3", "-batch", "-bail", "-cmd", ".timeout 60000", file)
	cmd.Stdin = strings.NewReader(statements + "\n")
	var said, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &wrong
	require.NoError(t, cmd.Run(), "sqlite3: %s", wrong.String())
	require.Empty(t, wrong.String())
	return said.String()
}
