//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // a PostgreSQL that the test starts by itself
)

// programsOfPostgres is the folder of the programs of the newest PostgreSQL here.
func programsOfPostgres(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
	require.NoError(t, err)
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	path, err := exec.LookPath("pg_dump")
	require.NoError(t, err)
	return filepath.Dir(path)
}

// If pg_dump breaks, the error says what to do, and nothing is left. A dump without its end is
// noticed although pg_dump says that all is well.
func TestBackupByABrokenProgram(t *testing.T) {
	full(t)
	t.Parallel()
	o := storetest.Postgres(t)
	require.NoError(t, os.MkdirAll(o.Blobs, 0o700))
	broken, err := filepath.Abs("testdata/brokenpg")
	require.NoError(t, err)
	for how, cure := range map[string]string{
		"full":    "No space left on device: make room on the disk",
		"dies":    "signal: killed: look into the log of this machine",
		"half":    "the dump has lost its end: make it again",
		"end":     "the dump has lost its end: make it again",
		"nothing": "the dump is not as pg_dump writes it: make it again",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := program(t, []string{"REAL_PG=" + programsOfPostgres(t), "BROKEN_PG=" + how},
				"backup", "--to", filepath.Join(dir, "b.tar"), "--db", o.Database, "--blobs", o.Blobs)
			cmd.Env = append(cmd.Env, "PATH="+broken+":"+os.Getenv("PATH"))
			code, _, stderr := finish(cmd)
			assert.Equal(t, exitFailure, code)
			assert.Contains(t, stderr, cure)
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}
