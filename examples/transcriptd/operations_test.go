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

// The table of OPERATIONS.md names every flag of serve, in the order of --help, with its
// variable and its default.
func TestFlagsInOperations(t *testing.T) {
	t.Parallel()
	operations, err := os.ReadFile("../../server/OPERATIONS.md")
	require.NoError(t, err)
	type flag struct{ name, env, def string }
	var told []flag
	for _, row := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| `(\\w+)` \\| ([^|]*)\\|").FindAllStringSubmatch(string(operations), -1) {
		told = append(told, flag{row[1], row[2], strings.Trim(row[3], "` ")})
	}

	parser, err := kong.New(&commands{}, kong.DefaultEnvars("TRANSCRIPTD"), vars(), kong.Vars{"models": "~/.local/share/transcriptd/models", "ytdlp": "yt-dlp", "fasterwhisper": ""})
	require.NoError(t, err)
	var has []flag
	for _, command := range parser.Model.Children {
		if command.Name != "serve" {
			continue
		}
		for _, f := range command.Flags {
			if f.Name != "help" && !f.Hidden { // a hidden flag only says that it is gone
				has = append(has, flag{f.Name, strings.Join(f.Envs, " "), f.Default})
			}
		}
	}
	inWords := map[string]string{"full-sync": "off", "asr": "the best that is there", "faster-whisper": "in a checkout, that of make setup", "js-runtime": "the first of deno, node and quickjs"}
	for i, f := range has {
		if words := inWords[f.name]; f.def == "" && words != "" {
			has[i].def = words
		}
	}
	assert.ElementsMatch(t, has, told)
}

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
	operations, err := os.ReadFile("../../server/OPERATIONS.md")
	require.NoError(t, err)
	want := []string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `--[a-z-]+` \\| `(\\w+)` \\|").FindAllStringSubmatch(string(operations), -1) {
		if row[1] != "TRANSCRIPTD_LISTEN" { // which is in transcriptd.socket
			want = append(want, row[1])
		}
	}
	assert.ElementsMatch(t, want, told)
}

// The commands of OPERATIONS.md about plans work.
func TestPlansInOperations(t *testing.T) {
	t.Parallel()
	operations, err := os.ReadFile("../../server/OPERATIONS.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(operations), "\n## Plans\n")
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
