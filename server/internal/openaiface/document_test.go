package openaiface_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The command of docs/guides/openai.md works as it stands there. Only the address is another.
func TestCommandOfTheDocument(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil && os.Getenv("CI") == "" {
		t.Skip("curl is not installed")
	}
	text, err := os.ReadFile("../../../docs/guides/openai.md")
	require.NoError(t, err)
	commands := regexp.MustCompile("(?s)```\n(curl .*?)```").FindAllStringSubmatch(string(text), -1)
	require.Len(t, commands, strings.Count(string(text), "curl "), "each command runs")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "talk.mp3"), []byte("a talk"), 0o600))
	s := start(t)
	for _, command := range commands {
		require.Contains(t, command[1], "https://your.service/")
		shell := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(command[1], "https://your.service", s.URL))
		shell.Dir, shell.Env = dir, append(os.Environ(), "KEY="+s.Key)
		said, err := shell.Output()
		require.NoError(t, err)
		assert.JSONEq(t, `{"text": "hello world", "languages": [{"code": "en"}], "usage": {"type": "duration", "seconds": 10}}`, string(said))
	}
}
