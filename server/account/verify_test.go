package account_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	key, secret, err := a.CreateKey(t.Context(), account.KeyParams{
		Account: "acme", Name: "ci", Scopes: []account.Scope{account.Transcripts},
	})
	require.NoError(t, err)

	p, err := a.Verify(t.Context(), secret)
	require.NoError(t, err)
	assert.Equal(t, account.Principal{
		Account: "acme", KeyID: key.ID, Prefix: key.Prefix,
		Scopes: []account.Scope{account.Transcripts},
		Plan:   account.DefaultPlans().ByName["self_hosted"],
	}, p)
	assert.True(t, p.Can(account.Transcripts))
	assert.False(t, p.Can(account.Batches))
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.SQLite(t))
	a, elsewhere := accountsIn(t, s), newAccounts(t)
	_, secret := newKey(t, a)
	_, unknown := newKey(t, elsewhere)
	lapsed := func(change func(k *account.Key)) string {
		key, secret := newKey(t, elsewhere)
		change(&key)
		digest := sha256.Sum256([]byte(secret))
		insert(t, s, key, digest[:])
		return secret
	}
	past, future := time.Now().Add(-time.Millisecond), time.Now().Add(time.Hour)
	good := lapsed(func(k *account.Key) { k.ExpiresAt = &future })
	_, err := a.Verify(t.Context(), good)
	require.NoError(t, err, "what is put in so is good otherwise")
	for name, key := range map[string]string{
		"nothing":   "",
		"malformed": "tr_",
		"bearer":    "eyJhbGciOiJIUzI1NiJ9.e30.x",
		"cut off":   secret[:len(secret)-1],
		"too long":  secret + "0",
		"space":     " " + secret,
		"unknown":   unknown,
		"expired":   lapsed(func(k *account.Key) { k.ExpiresAt = &past }),
		"revoked":   lapsed(func(k *account.Key) { k.RevokedAt = &past }),
	} {
		p, err := a.Verify(t.Context(), key)
		assert.ErrorIs(t, err, account.ErrInvalid, name)
		assert.Equal(t, account.Principal{}, p, name)
	}
}

// A key whose public part exists but whose secret is another's does not pass,
// although its form and checksum are right.
func TestVerifyComparesTheSecret(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.SQLite(t))
	a := accountsIn(t, s)
	elsewhere := newAccounts(t)
	forged, secret := newKey(t, elsewhere)
	insert(t, s, forged, make([]byte, sha256.Size))

	_, err := a.Verify(t.Context(), secret)
	assert.ErrorIs(t, err, account.ErrInvalid)
}

func insert(t *testing.T, s *store.Store, k account.Key, hash []byte) {
	t.Helper()
	require.NoError(t, db.Of(s).InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		return tx.Keys.Insert(ctx, db.Key{
			ID: k.ID, Account: k.Account, Prefix: k.Prefix, Hash: hash, Name: k.Name, Scopes: []string{string(account.Transcripts)},
			CreatedAt: k.CreatedAt, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt,
		})
	}))
}

func TestIneligibleAccountsAreSentToTheirPlan(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	_, secret := newKey(t, a)
	yes, no := true, false

	refused := func(says, url string) {
		t.Helper()
		p, err := a.Verify(t.Context(), secret)
		assert.Equal(t, "acme", p.Account, "it is known who it is")
		assert.Equal(t, secret[:11], p.Prefix)
		assert.True(t, p.Can(account.Batches))
		assert.Equal(t, url, p.Plan.ActionURL)
		var e *transcript.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, transcript.UpgradeRequired, e.Code)
		assert.Equal(t, 402, e.HTTPStatus())
		assert.Contains(t, e.Message, says)
		assert.Equal(t, url, e.ActionURL)
		assert.Equal(t, url, e.UpgradeURL)
	}
	set(t, a, "acme", account.Settings{Suspended: &yes})
	refused("suspended", "")
	set(t, a, "acme", account.Settings{Suspended: &no, Plan: "free"})
	refused("plan", "https://example.com/plans")
	set(t, a, "acme", account.Settings{Plan: "self_hosted"})
	_, err := a.Verify(t.Context(), secret)
	assert.NoError(t, err)
}

// Another process makes its changes through another Accounts.
func TestChangesElsewhereAreObeyedSoon(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.SQLite(t))
	here, elsewhere := accountsIn(t, s), accountsIn(t, s)
	key, secret := newKey(t, here)
	verify := func() error {
		_, err := here.Verify(t.Context(), secret)
		return err
	}
	require.NoError(t, verify())
	yes, no := true, false
	set(t, elsewhere, "acme", account.Settings{Suspended: &yes})
	soon := func(done func() bool) { require.Eventually(t, done, time.Minute, 10*time.Millisecond) }
	soon(func() bool { return errors.Is(verify(), transcript.UpgradeRequired) })
	set(t, elsewhere, "acme", account.Settings{Suspended: &no})
	require.NoError(t, verify(), "a refusal is not remembered")
	require.NoError(t, elsewhere.Revoke(t.Context(), key.Prefix))
	soon(func() bool { return errors.Is(verify(), account.ErrInvalid) })
}

// What is remembered is the key, not that somebody presented it.
func TestRememberedKeyIsComparedToo(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	_, secret := newKey(t, a)
	_, err := a.Verify(t.Context(), secret)
	require.NoError(t, err)
	_, other := newKey(t, newAccounts(t))
	forged := withCheck(secret[:11] + other[11:len(other)-6])
	prefix, wellFormed := account.FindKey(forged)
	require.True(t, wellFormed, "else it is refused before it is compared")
	require.Equal(t, secret[:11], prefix)
	_, err = a.Verify(t.Context(), forged)
	assert.ErrorIs(t, err, account.ErrInvalid)
}

// withCheck appends the checksum that a key ends with: its CRC-32 in base62, 6 digits.
func withCheck(body string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	check, sum := "", crc32.ChecksumIEEE([]byte(body))
	for range 6 {
		check = string(digits[sum%62]) + check
		sum /= 62
	}
	return body + check
}

// An account whose plan is not offered any more can do nothing: it is sent where the
// default plan sends people.
func TestPlanThatIsGone(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.SQLite(t))
	a := accountsIn(t, s)
	_, secret := newKey(t, a)

	basic := account.WithoutLimits("basic")
	basic.ActionLabel, basic.ActionURL = "Choose a plan", "https://example.com/plans"
	other, err := account.New(s, account.Plans{Default: "basic", ByName: map[string]account.Plan{"basic": basic}})
	require.NoError(t, err)
	for what, ask := range map[string]func() error{
		"a key in use": func() error {
			p, err := other.Verify(t.Context(), secret)
			assert.Equal(t, "acme", p.Account)
			assert.Equal(t, account.Plan{Name: "self_hosted", ActionLabel: basic.ActionLabel, ActionURL: basic.ActionURL}, p.Plan, "the strictest")
			return err
		},
		"a new key": func() error {
			_, _, err := other.CreateKey(t.Context(), account.KeyParams{Account: "acme", Name: "ci", Scopes: account.Scopes()})
			return err
		},
	} {
		err := ask()
		var e *transcript.Error
		require.ErrorAs(t, err, &e, what)
		assert.Equal(t, transcript.UpgradeRequired, e.Code, what)
		assert.Equal(t, "Choose a plan", e.ActionLabel, what)
		assert.Equal(t, "https://example.com/plans", e.ActionURL, what)
		assert.Equal(t, "https://example.com/plans", e.UpgradeURL, what)
		assert.NotContains(t, e.Message, "self_hosted", "the caller need not know")
		assert.ErrorContains(t, e.Err, `"self_hosted"`, "the log must")
	}
	_, err = other.Set(t.Context(), "acme", account.Settings{Plan: "basic"})
	require.NoError(t, err)
	_, err = other.Verify(t.Context(), secret)
	assert.NoError(t, err)
}

func TestLastUseIsNotedOnceAMinute(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := storetest.Open(t, o)
		a := accountsIn(t, s)
		_, secret := newKey(t, a)
		assert.Nil(t, lastUse(t, a))

		before := time.Now().Add(-time.Millisecond)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				_, err := a.Verify(context.Background(), secret)
				assert.NoError(t, err)
			})
		}
		all.Wait()
		first := lastUse(t, a)
		require.NotNil(t, first)
		assert.WithinRange(t, *first, before, time.Now())

		_, err := a.Verify(t.Context(), secret)
		require.NoError(t, err)
		assert.True(t, lastUse(t, a).Equal(*first))

		_, err = a.Verify(t.Context(), strings.Replace(secret, "tr_", "xx_", 1))
		assert.ErrorIs(t, err, account.ErrInvalid)
	})
}

func lastUse(t *testing.T, a *account.Accounts) *time.Time {
	t.Helper()
	keys, err := a.Keys(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, 1)
	return keys[0].LastUsedAt
}

// A program does on behalf of an account what that may do now.
func TestPrincipalByName(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	p, err := a.Principal(t.Context(), "acme")
	require.NoError(t, err)
	assert.Equal(t, account.Principal{
		Account: "acme", Scopes: account.Scopes(), Plan: account.DefaultPlans().ByName["self_hosted"],
	}, p)

	_, err = a.Principal(t.Context(), "globex")
	require.ErrorIs(t, err, account.ErrNotFound)
	require.ErrorContains(t, err, `"globex"`)

	set(t, a, "acme", account.Settings{Suspended: new(true)})
	p, err = a.Principal(t.Context(), "acme")
	require.ErrorIs(t, err, transcript.UpgradeRequired)
	assert.Equal(t, "acme", p.Account)
}
