package programtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Shells are the shells for which a program writes code.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// bash calls the function of the code, as it does after a press of the tab key.
const bash = `
source ./code
while read -r line; do
	eval "COMP_WORDS=($line)"
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	"_${COMP_WORDS[0]}"
	echo "${COMPREPLY[*]}"
done <lines`

// fish lists the candidates by itself.
const fish = `
source ./code
while read -l line
	echo (complete -C "$line" | string replace -r '\t.*' '')
end <lines`

// zsh completes only at a terminal: there it gets the lines one after another, each with the keys
// tab and control-G. The second key writes down the last word and empties the line. Each line waits
// for the word before it.
const (
	zsh = `
zmodload zsh/zpty
ZDOTDIR=$PWD zpty inner zsh -i
zpty -r inner shown '*ready>'
while read -r line; do
	zpty -w -n inner "$line"$'\t\x07'
	while [[ ! -s word ]]; do zpty -r inner shown; done
	cat word
	rm word
done <lines
zpty -d inner`
	zshrc = `
unsetopt beep
PROMPT='ready>'
autoload -U compinit && compinit -u -D
source ./code
note() { print -r -- ${${(z)BUFFER}[-1]} >word; BUFFER=; print }
zle -N note
bindkey '^G' note
`
)

// Complete returns the candidates of a shell for the last word of each line, separated by blanks.
// For zsh, it returns the completed word if there is only one candidate, and otherwise the word
// itself. The folder has the files code and lines. The test skips without the shell, except in CI.
func Complete(t testing.TB, shell, code string, lines ...string) (offered []string) {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil && os.Getenv("CI") == "" { //nolint:forbidigo // where the shells must be there
		t.Skip(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"code": code, ".zshrc": zshrc, "lines": strings.Join(lines, "\n") + "\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	args := map[string][]string{"bash": {"--norc", "-c", bash}, "zsh": {"-f", "-c", zsh}, "fish": {"--no-config", "-c", fish}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, path, args[shell]...)
	command.Dir, command.WaitDelay = dir, time.Second
	command.Env = append(os.Environ(), "HOME="+dir) //nolint:forbidigo // the search path of the test
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s: %s", shell, out)
	for line := range strings.Lines(string(out)) {
		offered = append(offered, strings.TrimSuffix(strings.TrimSpace(line), "=")) // zsh adds it to a flag with a value
	}
	require.Len(t, offered, len(lines), "%s: %s", shell, out)
	return offered
}
