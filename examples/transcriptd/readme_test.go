package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The README's table names every flag of serve, in the order of --help, with its
// variable and its default.
func TestFlagsInTheREADME(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	type flag struct{ name, env, def string }
	var told []flag
	for _, row := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| `(\\w+)` \\| ([^|]*)\\|").FindAllStringSubmatch(string(readme), -1) {
		told = append(told, flag{row[1], row[2], strings.Trim(row[3], "` ")})
	}

	parser, err := kong.New(&commands{}, kong.DefaultEnvars("TRANSCRIPTD"))
	require.NoError(t, err)
	var has []flag
	for _, command := range parser.Model.Children {
		if command.Name != "serve" {
			continue
		}
		for _, f := range command.Flags {
			if f.Name != "help" {
				has = append(has, flag{f.Name, strings.Join(f.Envs, " "), f.Default})
			}
		}
	}
	inWords := map[string]string{"full-sync": "off", "js-runtime": "the first of deno, node and quickjs"}
	for i, f := range has {
		if words := inWords[f.name]; f.def == "" && words != "" {
			has[i].def = words
		}
	}
	assert.ElementsMatch(t, has, told)
}
