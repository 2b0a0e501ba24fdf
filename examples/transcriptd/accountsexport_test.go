package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAccountsExport(t *testing.T) {
	t.Parallel()
	db, blobs := newDatabase(t), t.TempDir()
	to := filepath.Join(t.TempDir(), "acme.zip")
	must(t, "accounts", "set", "acme", "--db", db)
	export := func(name string) answer {
		return call(t, "accounts", "export", name, "--to", to, "--db", db, "--blobs", blobs)
	}
	a := export("acme2")
	assert.Equal(t, "transcriptd: there is no account \"acme2\": \"transcriptd accounts list\" lists them\n", a.stderr)
	assert.NoFileExists(t, to+".partial")

	require.NoError(t, os.WriteFile(to+".partial", nil, 0o600))
	a = export("acme")
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stderr, "acme.zip.partial is there: another export writes it")
	require.NoError(t, os.Remove(to+".partial"))

	a = export("acme")
	require.Equal(t, exitOK, a.code, a.stderr)
	assert.Equal(t, "Wrote "+to+": 1 rows, 0 texts, 0 recordings.\n", a.stderr)
	info, err := os.Stat(to)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	file, err := zip.OpenReader(to)
	require.NoError(t, err)
	defer file.Close()
	assert.NotEmpty(t, file.File)

	a = export("acme")
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stderr, "acme.zip is there: name another file with --to")
}
