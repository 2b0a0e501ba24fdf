package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
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
	var want []string
	parser, err := kong.New(&commands{}, vars(), kong.PostBuild(service.Groups))
	require.NoError(t, err)
	for _, flag := range flagsOfServe(t, parser) {
		if flag.Name != "listen" { // which is in transcriptd.socket
			want = append(want, "TRANSCRIPTD_"+strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_")))
		}
	}
	assert.ElementsMatch(t, want, told)
	assert.LessOrEqual(t, len(want)+1, 20, "what is about links or recognizers belongs into a file of settings")
}

// flagsOfServe are the flags of serve that have variables, in the order of the help.
func flagsOfServe(t *testing.T, parser *kong.Kong) (flags []*kong.Flag) {
	t.Helper()
	for _, node := range parser.Model.Leaves(false) {
		for _, flag := range node.Flags {
			if node.Name == "serve" && flag.Group != nil {
				flags = append(flags, flag)
			}
		}
	}
	order := []string{}
	for _, flag := range flags {
		if !slices.Contains(order, flag.Group.Title) {
			order = append(order, flag.Group.Title)
		}
	}
	slices.SortStableFunc(flags, func(a, b *kong.Flag) int {
		return slices.Index(order, a.Group.Title) - slices.Index(order, b.Group.Title)
	})
	return flags
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
