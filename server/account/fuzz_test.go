package account_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// Whatever is presented as a key, only a key lets anybody in; and one that stands in a text
// is found there, and hidden, whatever is around it.
func FuzzCredentials(f *testing.F) {
	a, err := account.New(storetest.Open(f, storetest.SQLite(f)), account.DefaultPlans())
	require.NoError(f, err)
	_, err = a.Set(f.Context(), "acme", account.Settings{})
	require.NoError(f, err)
	_, secret, err := a.CreateKey(f.Context(), account.KeyParams{Account: "acme", Name: "ci", Scopes: account.Scopes()})
	require.NoError(f, err)
	prefix, found := account.FindKey(secret)
	require.True(f, found)

	for _, text := range []string{"", secret, secret + "x", "x" + secret, secret[:len(secret)-1], strings.ToUpper(secret), "tr_", "tr_tr_" + secret, strings.Repeat("tr_", 100), "\x00\xff"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, text := range []string{before, before + after} {
			_, err := a.Verify(t.Context(), text)
			if text == secret {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, account.ErrInvalid)
			}
		}
		around := before + " " + secret + " " + after
		_, found := account.FindKey(around)
		assert.True(t, found)
		hidden := account.HideKeys(around)
		assert.NotContains(t, hidden, secret[len(prefix):])
		assert.Contains(t, hidden, prefix)
	})
}
