package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The environment file of the unit names every setting of serve, without effect until the operator
// changes the line.
func TestSettingsOfTheUnit(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../../packaging/systemd/transcriptd.env")
	require.NoError(t, err)
	var told []string
	for line := range strings.Lines(string(file)) {
		assert.True(t, line == "\n" || strings.HasPrefix(line, "#"), "%q has an effect", line)
		if setting := regexp.MustCompile(`^#(TRANSCRIPTD_\w+)=\S+\n$`).FindStringSubmatch(line); setting != nil {
			told = append(told, setting[1])
		}
	}
	parser, err := kong.New(&commands{}, kong.DefaultEnvars("TRANSCRIPTD"), vars(), kong.Vars{"models": "", "ytdlp": "", "fasterwhisper": ""})
	require.NoError(t, err)
	want := []string{}
	for _, command := range parser.Model.Children {
		for _, f := range command.Flags {
			if command.Name == "serve" && f.Name != "help" && f.Name != "listen" && !f.Hidden { // the address is in transcriptd.socket; a hidden flag only says that it is gone
				want = append(want, f.Envs...)
			}
		}
	}
	assert.ElementsMatch(t, want, told)
}

// The commands of docs/operate/accounts-and-data.md about plans work.
func TestPlansInOperations(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operate/accounts-and-data.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## Plans\n")
	require.True(t, found)
	commands := strings.Split(section, "```")[1]
	env, wanted := regexp.MustCompile(`(?m)^export (\S+)=examples/transcriptd/(\S+)$`), 0
	variable := env.FindStringSubmatch(commands)
	require.NotNil(t, variable)
	plans, err := filepath.Abs(variable[2])
	require.NoError(t, err)
	db := newDatabase(t)
	for _, command := range regexp.MustCompile(`(?m)^transcriptd (.*)$`).FindAllStringSubmatch(commands, -1) {
		if command[1] == "serve" {
			p := start(t, []string{variable[1] + "=" + plans, "TRANSCRIPTD_DB=" + db})
			assert.NotContains(t, p.greeting, "level=WARN msg=\"accounts")
			require.NoError(t, p.Process.Signal(syscall.SIGTERM))
			code, log := p.end(t)
			assert.Equal(t, exitOK, code, log)
			wanted++
			continue
		}
		code, _, stderr := finish(program(t, []string{variable[1] + "=" + plans, "TRANSCRIPTD_DB=" + db}, strings.Fields(command[1])...))
		assert.Equal(t, exitOK, code, "%s: %s", command[1], stderr)
		wanted++
	}
	assert.Equal(t, 4, wanted)
}
