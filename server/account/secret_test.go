package account_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/account"
)

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"

func TestKeyForm(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	key, secret := newKey(t, a)
	assert.Regexp(t, `^tr_[0-9A-Za-z]{8}_[0-9A-Za-z_-]{43}[0-9A-Za-z]{6}$`, secret)
	assert.Equal(t, secret[:11], key.Prefix)
}

// A key works as it was given out; with any one character changed its own
// checksum refuses it, without a look-up.
func TestKeyProperties(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	rapid.Check(t, func(rt *rapid.T) {
		key, secret, err := a.CreateKey(t.Context(), account.KeyParams{
			Account: "acme",
			Name:    rapid.StringMatching(`[ -~]{1,100}`).Draw(rt, "name"),
			Scopes:  rapid.SliceOfN(rapid.SampledFrom(account.Scopes()), 1, 3).Draw(rt, "scopes"),
		})
		if err != nil {
			rt.Fatal(err)
		}
		p, err := a.Verify(t.Context(), secret)
		if err != nil || p.KeyID != key.ID || p.Prefix != key.Prefix || p.Account != "acme" {
			rt.Fatalf("verified as %+v, %v", p, err)
		}
		c := rapid.SampledFrom([]byte(alphabet)).Draw(rt, "character")
		for i := range len(secret) {
			if c == secret[i] {
				continue
			}
			changed := secret[:i] + string(c) + secret[i+1:]
			if prefix, ok := account.FindKey(changed); ok {
				rt.Fatalf("character %d changed and still the form of key %s", i, prefix)
			}
			if _, err := a.Verify(t.Context(), changed); !errors.Is(err, account.ErrInvalid) {
				rt.Fatalf("character %d changed: %v", i, err)
			}
		}
	})
}

func TestFindKey(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	key, secret := newKey(t, a)
	for _, c := range []struct {
		name, in string
		found    bool
	}{
		{"alone", secret, true},
		{"in a longer value", "Bearer " + secret + "&x=1", true},
		{"after something that looks like one", "tr_tr_" + secret, true},
		{"after a broken one", secret[:60] + "!" + secret, true},
		{"twice", secret + secret, true},
		{"after a letter", "x" + secret, true},
		{"empty", "", false},
		{"only the prefix", key.Prefix, false},
		{"cut off", secret[:len(secret)-1], false},
		{"other case", strings.ToUpper(secret), false},
		{"long and hostile", strings.Repeat("tr_", 100_000), false},
	} {
		prefix, ok := account.FindKey(c.in)
		assert.Equal(t, c.found, ok, c.name)
		want := ""
		if c.found {
			want = key.Prefix
		}
		assert.Equal(t, want, prefix, c.name)
	}
}

func TestHideKeys(t *testing.T) {
	t.Parallel()
	key, secret := newKey(t, newAccounts(t))
	hidden := key.Prefix + "…"
	for in, want := range map[string]string{
		secret:                         hidden,
		"Bearer " + secret + "&x=1":    "Bearer " + hidden + "&x=1",
		"tr_tr_" + secret:              "tr_tr_" + hidden,
		secret + secret:                hidden + hidden,
		"x" + secret:                   "x" + hidden,
		secret[:60] + "!" + secret:     hidden + "!" + hidden,
		secret[:13] + "…":              hidden + "…",
		key.Prefix + "_":               key.Prefix + "_",
		key.Prefix:                     key.Prefix,
		"":                             "",
		strings.ToUpper(secret):        strings.ToUpper(secret),
		strings.Repeat("tr_", 100_000): strings.Repeat("tr_", 100_000),
	} {
		assert.Equal(t, want, account.HideKeys(in))
	}
}
