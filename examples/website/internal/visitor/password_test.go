package visitor_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // databases that the test starts by itself
)

func TestPasswordsAreHashed(t *testing.T) {
	t.Parallel()
	p := visitor.NewPasswords(64, 1)
	one, err := p.Hash(t.Context(), password)
	require.NoError(t, err)
	other, err := p.Hash(t.Context(), password)
	require.NoError(t, err)
	assert.NotEqual(t, one, other, "each has a salt of its own")
	assert.Regexp(t, `^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`, one)
	for given, right := range map[string]bool{password: true, password + "x": false, "": false, strings.ToUpper(password): false} {
		got, cheap, err := p.Check(t.Context(), one, given)
		require.NoError(t, err)
		assert.Equal(t, right, got, given)
		assert.False(t, cheap)
	}
	accented, err := p.Hash(t.Context(), "crème brûlée")
	require.NoError(t, err)
	right, _, err := p.Check(t.Context(), accented, "cre\u0300me bru\u0302le\u0301e")
	require.NoError(t, err)
	assert.True(t, right, "however a keyboard writes it")

	// The empty hash is nobody's, also not that of the empty password.
	right, _, err = p.Check(t.Context(), "", "")
	require.NoError(t, err)
	assert.False(t, right)
	for _, bad := range []string{"x", "$argon2i$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA", strings.Replace(one, "m=64", "m=9999999", 1), strings.Replace(one, "t=1", "t=0", 1), strings.Replace(one, "v=19", "v=16", 1), one[:len(one)-9]} {
		_, _, err := p.Check(t.Context(), bad, password)
		assert.Error(t, err, bad)
	}
	// One that was cheaper to compute is told.
	for _, dearer := range []visitor.Passwords{visitor.NewPasswords(128, 1), visitor.NewPasswords(64, 2)} {
		right, cheap, err := dearer.Check(t.Context(), one, password)
		require.NoError(t, err)
		assert.True(t, right)
		assert.True(t, cheap)
	}
	_, cheap, err := visitor.NewPasswords(32, 1).Check(t.Context(), one, password)
	require.NoError(t, err)
	assert.False(t, cheap)
}

// Whoever waits for a turn waits no longer than their request.
func TestPasswordsAreComputedInTurn(t *testing.T) {
	t.Parallel()
	p := visitor.NewPasswords(64, 1)
	release, err := p.Occupy(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { _, err := p.Hash(ctx, password); ended <- err }()
	go func() { _, _, err := p.Check(ctx, "", password); ended <- err }()
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.ErrorIs(t, <-ended, context.Canceled)
	release()
	_, err = p.Hash(t.Context(), password)
	require.NoError(t, err)
}

// Who signs in with a hash that was cheap has a dear one afterwards.
func TestCheapHashesAreReplaced(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	real, err := visitor.New(t.Context(), visitor.Options{Database: s.options.Database, Accounts: s.Accounts, SignUp: true})
	require.NoError(t, err)
	defer real.Close()
	b := s.at(t, real).signedUp(t, "ada")
	cheap, err := visitor.NewPasswords(64, 1).Hash(t.Context(), password)
	require.NoError(t, err)
	require.NoError(t, s.visitors.KeepPassword(t.Context(), "ada", cheap))
	var kept string
	read := func() string {
		require.NoError(t, storetest.SQL(t, s.options).QueryRowContext(t.Context(), "SELECT password FROM website_users").Scan(&kept))
		return kept
	}
	require.Equal(t, cheap, read())
	require.Equal(t, http.StatusUnauthorized, b.form("/sign-in", "name", "ada", "password", "wrong password").StatusCode)
	require.Equal(t, cheap, read())
	require.True(t, b.known(), "another hash of the same password ends no session")
	b.form("/sign-out")
	require.Equal(t, http.StatusSeeOther, b.form("/sign-in", "name", "ada", "password", password).StatusCode)
	assert.Regexp(t, `^\$argon2id\$v=19\$m=47104,t=1,p=1\$`, read())
	b.form("/sign-out")
	require.Equal(t, http.StatusSeeOther, b.form("/sign-in", "name", "ada", "password", password).StatusCode)
}
