package account_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// plans has a plan of each kind.
func plans() account.Plans {
	p := account.DefaultPlans()
	p.ByName["free"] = account.Plan{Name: "free", ActionLabel: "Upgrade", ActionURL: "https://example.com/plans"}
	return p
}

// newAccounts keeps accounts in a store of the test's own and has one: acme.
func newAccounts(t *testing.T) *account.Accounts {
	t.Helper()
	return accountsIn(t, storetest.Open(t, storetest.SQLite(t)))
}

// accountsIn keeps accounts in s and has one: acme.
func accountsIn(t *testing.T, s *store.Store) *account.Accounts {
	t.Helper()
	a, err := account.New(s, plans())
	require.NoError(t, err)
	set(t, a, "acme", account.Settings{})
	return a
}

func set(t *testing.T, a *account.Accounts, name string, s account.Settings) account.Account {
	t.Helper()
	acc, err := a.Set(t.Context(), name, s)
	require.NoError(t, err)
	return acc
}

// newKey makes a key of acme with every scope.
func newKey(t *testing.T, a *account.Accounts) (account.Key, string) {
	t.Helper()
	key, secret, err := a.CreateKey(t.Context(), account.KeyParams{Account: "acme", Name: "ci", Scopes: account.Scopes()})
	require.NoError(t, err)
	return key, secret
}

func TestSetCreatesAndChanges(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	yes, no := true, false

	first := set(t, a, "beta", account.Settings{})
	assert.Equal(t, "self_hosted", first.Plan)
	assert.False(t, first.Suspended)

	suspended := set(t, a, "beta", account.Settings{Suspended: &yes})
	assert.Equal(t, "self_hosted", suspended.Plan, "the plan was not named")
	assert.True(t, suspended.Suspended)

	moved := set(t, a, "beta", account.Settings{Plan: "free"})
	assert.Equal(t, "free", moved.Plan)
	assert.True(t, moved.Suspended, "the state was not named")

	active := set(t, a, "beta", account.Settings{Suspended: &no})
	assert.False(t, active.Suspended)

	all, err := a.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, "acme", all[0].Name)
	assert.Equal(t, "beta", all[1].Name)
	assert.Equal(t, "free", all[1].Plan)
	assert.True(t, all[1].CreatedAt.Equal(first.CreatedAt), "a change keeps the time of creation")
	assert.True(t, all[1].UpdatedAt.Equal(active.UpdatedAt))
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	for _, c := range []struct {
		name, plan, says string
	}{
		{"", "", `name ""`},
		{"-acme", "", `name "-acme"`},
		{"two words", "", `name "two words"`},
		{"ümlaut", "", `name "ümlaut"`},
		{"line\n", "", `name "line\n"`},
		{string(make([]byte, 129)), "", "1 to 128"},
		{"acme", "gold", `plan "gold", only [free self_hosted]`},
	} {
		_, err := a.Set(t.Context(), c.name, account.Settings{Plan: c.plan})
		assert.ErrorContains(t, err, c.says)
	}
	all, err := a.List(t.Context())
	require.NoError(t, err)
	assert.Len(t, all, 1, "nothing was written")
}

func TestNamesOfAllKindsAreTaken(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	for _, name := range []string{"a", "7", "Acme", "dev.team+ci@example.com", "0198c0de-0000-7000-8000-000000000000"} {
		assert.Equal(t, name, set(t, a, name, account.Settings{}).Name)
	}
}

func TestFailuresOfTheDatabaseAreReported(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	_, secret := newKey(t, a)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	_, err := a.Set(ctx, "beta", account.Settings{})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = a.List(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = a.Keys(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, a.Revoke(ctx, secret[:11]), context.Canceled)
	_, err = a.Verify(ctx, secret)
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, account.ErrInvalid, "a key is not invalid because the database is away")
}
