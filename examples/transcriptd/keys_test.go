package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// accountsOf opens the accounts of a database that commands have written.
func accountsOf(t *testing.T, db string) *account.Accounts {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Database: db, Blobs: store.InMemory})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	accounts, err := account.New(s, account.DefaultPlans())
	require.NoError(t, err)
	return accounts
}

func TestKeyFromCreationToRevocation(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	must(t, "accounts", "set", "acme", "--db", db)

	created := must(t, "keys", "create", "--account", "acme", "--name", "ci", "--scopes", "transcripts,batches", "--expires", "90d", "--db", db)
	key, found := strings.CutSuffix(created.stdout, "\n")
	require.True(t, found)
	prefix, ok := account.FindKey(key)
	require.True(t, ok)
	assert.Len(t, key, 61, "the key is alone on standard output")
	assert.Contains(t, created.stderr, prefix)
	assert.NotContains(t, created.stderr, key[len(prefix):])

	accounts := accountsOf(t, db)
	p, err := accounts.Verify(t.Context(), key)
	require.NoError(t, err)
	assert.Equal(t, account.Scopes(), p.Scopes)
	all, err := accounts.Keys(t.Context())
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now().Add(90*24*time.Hour), *all[0].ExpiresAt, time.Minute)

	list := must(t, "keys", "list", "--db", db).stdout
	assert.Regexp(t, prefix+` +acme +ci +transcripts,batches +active`, list)
	assert.NotContains(t, list, key[len(prefix):])

	must(t, "keys", "revoke", prefix, "--db", db)
	assert.Regexp(t, prefix+` .* revoked `, must(t, "keys", "list", "--db", db).stdout)
	require.Eventually(t, func() bool {
		_, err := accounts.Verify(t.Context(), key)
		return errors.Is(err, account.ErrInvalid)
	}, time.Minute, 50*time.Millisecond, "another process obeys soon")

	whole := call(t, "keys", "revoke", key, "--db", db)
	assert.Equal(t, exitFailure, whole.code)
	assert.NotContains(t, whole.stderr, key[len(prefix):])
}

func TestSuspendedAccountsAndTheirKeys(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	must(t, "accounts", "set", "acme", "--db", db)
	key := strings.TrimSpace(must(t, "keys", "create", "--account", "acme", "--name", "ci", "--scopes", "transcripts", "--db", db).stdout)
	accounts := accountsOf(t, db)

	must(t, "accounts", "set", "acme", "--suspend", "--db", db)
	assert.Regexp(t, `acme +self_hosted +suspended`, must(t, "accounts", "list", "--db", db).stdout)
	_, err := accounts.Verify(t.Context(), key)
	assert.ErrorContains(t, err, "UPGRADE_REQUIRED")
	refused := call(t, "keys", "create", "--account", "acme", "--name", "two", "--scopes", "transcripts", "--db", db)
	assert.Equal(t, exitFailure, refused.code)
	assert.Contains(t, refused.stderr, "suspended")

	must(t, "accounts", "set", "acme", "--plan", "self_hosted", "--db", db)
	_, err = accounts.Verify(t.Context(), key)
	assert.Error(t, err, "another change leaves it suspended")

	must(t, "accounts", "set", "acme", "--activate", "--db", db)
	_, err = accounts.Verify(t.Context(), key)
	assert.NoError(t, err)
}
