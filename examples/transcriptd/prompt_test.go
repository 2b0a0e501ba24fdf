package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPromptFile(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	file := filepath.Join(t.TempDir(), "names.txt")
	set := func(text string) answer {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return call(t, "accounts", "set", "acme", "--prompt-file", file, "--db", db)
	}
	listed := func() string { return must(t, "accounts", "list", "--db", db).stdout }

	done := set("\ufeffGrafana,\r\nKubernetes\n")
	require.Equal(t, exitOK, done.code, done.stderr)
	assert.Contains(t, done.stderr, "a prompt of 19 characters")
	assert.Regexp(t, `acme +self_hosted +active +yes `, listed())
	assert.NotContains(t, done.stderr+listed(), "Grafana")

	must(t, "accounts", "set", "acme", "--suspend", "--db", db)
	assert.Regexp(t, `acme +self_hosted +suspended +yes `, listed(), "another change leaves it")

	for text, says := range map[string]string{
		strings.Repeat("Grafana", 200):   "1400 characters, more than 800",
		strings.Repeat("Grafana", 20000): "want at most 800 characters",
		"Grafana\x1b[2J":                 "control character",
		"Grafana\xff":                    "not UTF-8",
	} {
		refused := set(text)
		assert.NotEqual(t, exitOK, refused.code)
		assert.Contains(t, refused.stderr, says)
		assert.Equal(t, 1, strings.Count(refused.stderr, "\n"), refused.stderr)
		assert.NotContains(t, refused.stderr, "Grafana")
	}
	missing := call(t, "accounts", "set", "acme", "--prompt-file", file+".none\x1b[2J", "--db", db)
	assert.Equal(t, exitUsage, missing.code)
	assert.Contains(t, missing.stderr, file+".none [2J")
	assert.NotContains(t, missing.stderr, "\x1b")
	assert.Regexp(t, ` yes `, listed(), "what is refused changes nothing")

	done = set("\n")
	require.Equal(t, exitOK, done.code, done.stderr)
	assert.Contains(t, done.stderr, "no prompt")
	assert.Regexp(t, `acme +self_hosted +suspended +no `, listed())
}
