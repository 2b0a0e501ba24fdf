package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAccountsRemove(t *testing.T) {
	t.Parallel()
	db, blobs := newDatabase(t), t.TempDir()
	must(t, "accounts", "set", "acme", "--db", db)
	must(t, "accounts", "set", "beta", "--db", db)
	for _, name := range []string{"one", "two"} {
		must(t, "keys", "create", "--account", "acme", "--name", name, "--scopes", "transcripts", "--db", db)
	}
	remove := func(args ...string) answer {
		return call(t, append([]string{"accounts", "remove", "--db", db, "--blobs", blobs}, args...)...)
	}

	refused := call(t, "accounts", "remove", "acme", "--yes", "--db", db, "--blobs", filepath.Join(blobs, "mistyped"))
	assert.Equal(t, exitUsage, refused.code)
	assert.Contains(t, refused.stderr, "--blobs")
	assert.Contains(t, must(t, "accounts", "list", "--db", db).stdout, "acme")

	removed := remove("acme", "--yes")
	require.Equal(t, exitOK, removed.code, removed.stderr)
	assert.Equal(t, "Removed account acme: 2 keys.\n", removed.stderr)
	listed := must(t, "accounts", "list", "--db", db).stdout
	assert.NotContains(t, listed, "acme")
	assert.Contains(t, listed, "beta")
	assert.NotContains(t, must(t, "keys", "list", "--db", db).stdout, "acme")

	again := remove("acme", "--yes")
	require.Equal(t, exitOK, again.code, again.stderr)
	assert.Equal(t, "Removed account acme: it had nothing.\n", again.stderr, "what arrived late is removed too")
	unknown := remove("acme2", "--yes")
	assert.Equal(t, exitFailure, unknown.code)
	assert.Equal(t, "transcriptd: there is no account \"acme2\": \"transcriptd accounts list\" lists them\n", unknown.stderr)
	must(t, "accounts", "set", "acme", "--db", db)
}
