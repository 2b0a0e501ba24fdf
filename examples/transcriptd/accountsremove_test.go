package main

import (
	"os"
	"path/filepath"
	"strings"
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

// Only the name of the account lets the command go on.
func TestConfirmName(t *testing.T) {
	t.Parallel()
	for typed, agreed := range map[string]bool{"acme\n": true, " acme ": true, "": false, "y\n": false, "acme2\n": false} {
		assert.Equal(t, agreed, confirmName(t.Context(), strings.NewReader(typed), "acme") == nil, typed)
	}
	silent, end, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, end.Close())
	assert.ErrorContains(t, confirmName(t.Context(), silent, "acme"), "nothing was removed")
}
