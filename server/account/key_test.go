package account_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestCreateKeyRefuses(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	past := time.Now().Add(-time.Second)
	good := account.KeyParams{Account: "acme", Name: "ci", Scopes: account.Scopes()}
	for _, c := range []struct {
		says   string
		change func(*account.KeyParams)
	}{
		{`no account "nobody"`, func(p *account.KeyParams) { p.Account = "nobody" }},
		{"0 characters", func(p *account.KeyParams) { p.Name = "" }},
		{"101 characters", func(p *account.KeyParams) { p.Name = strings.Repeat("ü", 101) }},
		{"not printable", func(p *account.KeyParams) { p.Name = "a\nb" }},
		{"not printable", func(p *account.KeyParams) { p.Name = "a\xff" }},
		{"at least one scope of [transcripts batches]", func(p *account.KeyParams) { p.Scopes = nil }},
		{`no scope "admin"`, func(p *account.KeyParams) { p.Scopes = []account.Scope{"admin"} }},
		{"no UUID", func(p *account.KeyParams) { p.ID = "1" }},
		{"is not in the future", func(p *account.KeyParams) { p.ExpiresAt = &past }},
	} {
		p := good
		c.change(&p)
		_, secret, err := a.CreateKey(t.Context(), p)
		assert.ErrorContains(t, err, c.says)
		assert.Empty(t, secret)
	}
	keys, err := a.Keys(t.Context())
	require.NoError(t, err)
	assert.Empty(t, keys)

	good.Name = strings.Repeat("ü", 100)
	_, _, err = a.CreateKey(t.Context(), good)
	assert.NoError(t, err, "characters are counted, not bytes")
}

func TestIneligibleAccountsGetNoKey(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	yes := true
	set(t, a, "guest", account.Settings{Plan: "free"})
	set(t, a, "debtor", account.Settings{Suspended: &yes})
	for _, name := range []string{"guest", "debtor"} {
		_, _, err := a.CreateKey(t.Context(), account.KeyParams{Account: name, Name: "ci", Scopes: account.Scopes()})
		assert.ErrorIs(t, err, transcript.UpgradeRequired, name)
	}
}

func TestKeysAreListedWithoutTheirSecret(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	later := time.Now().Add(time.Hour)
	first, _ := newKey(t, a)
	second, _, err := a.CreateKey(t.Context(), account.KeyParams{
		Account: "acme", Name: "second", ExpiresAt: &later,
		Scopes: []account.Scope{account.Transcripts, account.Transcripts},
	})
	require.NoError(t, err)

	keys, err := a.Keys(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, 2)
	assert.Equal(t, first.Prefix, keys[0].Prefix)
	assert.Equal(t, account.Scopes(), keys[0].Scopes)
	assert.Nil(t, keys[0].ExpiresAt)
	assert.Equal(t, second.Prefix, keys[1].Prefix)
	assert.Equal(t, []account.Scope{account.Transcripts}, keys[1].Scopes)
	assert.WithinDuration(t, later, *keys[1].ExpiresAt, time.Millisecond)
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	key, secret := newKey(t, a)
	_, other := newKey(t, a)
	_, err := a.Verify(t.Context(), secret)
	require.NoError(t, err, "from here on the key is remembered")

	require.NoError(t, a.Revoke(t.Context(), key.Prefix))
	require.NoError(t, a.Revoke(t.Context(), key.Prefix), "twice is once")

	err = a.Revoke(t.Context(), other)
	assert.ErrorIs(t, err, account.ErrNotFound, "the prefix revokes, not the key")
	assert.NotContains(t, err.Error(), other[11:])

	_, err = a.Verify(t.Context(), secret)
	assert.ErrorIs(t, err, account.ErrInvalid)
	_, err = a.Verify(t.Context(), other)
	assert.NoError(t, err)
}

func TestAccountByItsName(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	suspended := true
	set(t, a, "other", account.Settings{Suspended: &suspended})
	found, err := a.Account(t.Context(), "other")
	require.NoError(t, err)
	assert.Equal(t, "other", found.Name)
	assert.True(t, found.Suspended)
	for _, name := range []string{"nobody", "Other", ""} {
		_, err = a.Account(t.Context(), name)
		require.ErrorIs(t, err, account.ErrNotFound, name)
	}
}

func TestKeysOfAnAccountAreItsOwnBusiness(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	set(t, a, "other", account.Settings{})
	mine, secret := newKey(t, a)
	theirs, _, err := a.CreateKey(t.Context(), account.KeyParams{Account: "other", Name: "theirs", Scopes: account.Scopes()})
	require.NoError(t, err)

	for name, prefixes := range map[string][]string{"acme": {mine.Prefix}, "other": {theirs.Prefix}, "": {}} {
		keys, err := a.KeysOf(t.Context(), name)
		require.NoError(t, err)
		got := []string{}
		for _, key := range keys {
			got = append(got, key.Prefix)
		}
		assert.Equal(t, prefixes, got, name)
	}
	for _, stranger := range []string{"other", "nobody", ""} {
		assert.ErrorIs(t, a.RevokeOf(t.Context(), stranger, mine.Prefix), account.ErrNotFound, stranger)
	}
	_, err = a.Verify(t.Context(), secret)
	require.NoError(t, err, "nobody else has revoked it")

	require.NoError(t, a.RevokeOf(t.Context(), "acme", mine.Prefix))
	require.NoError(t, a.RevokeOf(t.Context(), "acme", mine.Prefix), "twice is once")
	_, err = a.Verify(t.Context(), secret)
	assert.ErrorIs(t, err, account.ErrInvalid)
	keys, err := a.KeysOf(t.Context(), "acme")
	require.NoError(t, err)
	assert.False(t, keys[0].Usable(time.Now()))
	assert.True(t, theirs.Usable(time.Now()))
}

func TestMostKeysOfAnAccount(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	p := account.KeyParams{Account: "acme", Name: "ci", Scopes: account.Scopes(), Most: 3}
	newKey(t, a) // it counts, and is not bound itself

	var made sync.WaitGroup
	refused := make(chan error, 8)
	for range cap(refused) {
		made.Go(func() {
			_, _, err := a.CreateKey(t.Context(), p)
			refused <- err
		})
	}
	made.Wait()
	close(refused)
	tooMany := 0
	for err := range refused {
		if err != nil {
			require.ErrorIs(t, err, account.ErrTooManyKeys)
			tooMany++
		}
	}
	assert.Equal(t, 6, tooMany, "also of those who come at once")
	keys, err := a.KeysOf(t.Context(), "acme")
	require.NoError(t, err)
	require.Len(t, keys, 3, "what is refused leaves nothing")

	require.NoError(t, a.RevokeOf(t.Context(), "acme", keys[0].Prefix))
	_, _, err = a.CreateKey(t.Context(), p)
	assert.ErrorIs(t, err, account.ErrTooManyKeys, "who revokes makes no room today")
}

func TestKeyOfAFormThatIsSentTwice(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	p := account.KeyParams{ID: "01a20108-8c11-7c3e-9a55-2f6d1f0c9b11", Account: "acme", Name: "ci", Scopes: account.Scopes()}
	key, _, err := a.CreateKey(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, p.ID, key.ID)
	_, secret, err := a.CreateKey(t.Context(), p)
	assert.ErrorIs(t, err, account.ErrKeyExists)
	assert.Empty(t, secret)
}

func TestWhatThereIsNot(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	_, _, err := a.CreateKey(t.Context(), account.KeyParams{Account: "nobody", Name: "ci", Scopes: account.Scopes()})
	assert.ErrorIs(t, err, account.ErrNotFound)
	assert.EqualError(t, err, `account: there is no account "nobody"`)
	err = a.Revoke(t.Context(), "tr_00000000")
	assert.ErrorIs(t, err, account.ErrNotFound)
	assert.EqualError(t, err, `account: no key has the prefix "tr_00000000"`)
}

// A request that has read the key before it is revoked lets no later one in.
func TestRevocationCountsAgainstRequestsUnderWay(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	for range 20 {
		key, secret := newKey(t, a)
		ctx, stop := context.WithCancel(t.Context())
		var users sync.WaitGroup
		for range 4 {
			users.Go(func() {
				for ctx.Err() == nil {
					_, _ = a.Verify(ctx, secret) // what it says depends on when
				}
			})
		}
		require.NoError(t, a.Revoke(t.Context(), key.Prefix))
		for range 100 {
			_, err := a.Verify(t.Context(), secret)
			require.ErrorIs(t, err, account.ErrInvalid)
		}
		stop()
		users.Wait()
	}
}

// Nothing of a key but its prefix reaches the disk or a log.
func TestSecretIsWrittenNowhere(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := storetest.SQLite(t)
	o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	dir := filepath.Dir(strings.TrimPrefix(o.Database, "sqlite:"))
	s, err := store.Open(t.Context(), o)
	require.NoError(t, err)
	a := accountsIn(t, s)
	key, secret := newKey(t, a)
	_, err = a.Verify(t.Context(), secret)
	require.NoError(t, err)

	open := contents(t, dir) // with the write-ahead log beside it
	require.NoError(t, s.Close())
	for _, written := range []string{open, contents(t, dir)} {
		assert.Contains(t, written, key.Prefix, "the right files are read")
		assert.NotContains(t, written, secret[len(key.Prefix):])
		assert.NotContains(t, written, secret[20:40])
	}
	assert.NotContains(t, log.String(), secret[len(key.Prefix):])
}

// contents is what all files under dir hold.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all.Write(b)
		return err
	}))
	return all.String()
}
