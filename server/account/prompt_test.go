package account_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
)

func TestSetPrompt(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	text := func(s string) account.Settings { return account.Settings{Prompt: &s} }
	for given, want := range map[string]string{
		"Grafana":                         "Grafana",
		" Grafana,\r\n\tJürgen\n\n":       "Grafana, Jürgen",
		"--help":                          "--help",
		strings.Repeat("\U00020000", 800): strings.Repeat("\U00020000", 800),
		" \n":                             "",
	} {
		assert.Equal(t, want, set(t, a, "acme", text(given)).Prompt)
	}
	set(t, a, "acme", text("Grafana"))
	assert.Equal(t, "Grafana", set(t, a, "acme", account.Settings{Plan: "free"}).Prompt, "the prompt was not named")
	all, err := a.List(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "Grafana", all[0].Prompt)

	for given, says := range map[string]string{
		"secret" + strings.Repeat("x", 795): "801 characters, more than 800",
		"secret \xff":                       "not UTF-8",
		"secret\x00":                        "character 7 of the prompt is a control character",
		"secret\u009f":                      "character 7 of the prompt is a control character",
	} {
		s := text(given)
		_, err := a.Set(t.Context(), "acme", s)
		require.ErrorContains(t, err, says)
		assert.NotContains(t, err.Error(), "secret")
	}
	all, err = a.List(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "Grafana", all[0].Prompt, "a prompt that is refused changes nothing")
}
