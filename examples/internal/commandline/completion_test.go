package commandline_test

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/commandline"
	"github.com/transcriptkit/transcriptkit/examples/internal/programtest"
)

// lock is a program with commands of two levels.
type lock struct {
	Serve struct {
		Color string `enum:"red,blue" default:"red" help:"It's [a] color: red. The other is blue."`
		Door  string `placeholder:"FILE" help:"In /home/me/doors."`
		Gone  bool   `hidden:"" help:"Gone."`
	} `cmd:"" help:"Serve doors."`
	Keys struct {
		Create struct {
			Name  string `arg:"" help:"Any name."`
			Scope string `short:"s" enum:"read,write" default:"read" help:"What it may."`
		} `cmd:"" help:"Create a key."`
		Revoke struct{} `cmd:"" help:"Revoke a key."`
	} `cmd:"" help:"Keys."`
	Read struct {
		From []string `arg:"" name:"link|file" words:"search: Search; follow: Follow" help:"Any."`
	} `cmd:"" help:"Read."`
	Shell struct {
		Shell string `arg:"" enum:"sh,ksh" help:"Any."`
	} `cmd:"" help:"For a shell."`
	Secret struct{} `cmd:"" hidden:"" help:"Hidden."`
}

// Each shell offers what fits the command before the cursor, and nothing else.
func TestCompletion(t *testing.T) {
	t.Parallel()
	const aFile = "a file"
	uses := []struct{ line, offered string }{
		{"lock se", "serve"},
		{"lock keys cr", "create"},
		{"lock keys se", ""}, // of the program
		{"lock serve --col", "--color"},
		{"lock serve --color b", "blue"},
		{"lock keys create --sc", "--scope"},
		{"lock keys create me --sc", "--scope"},
		{"lock keys create -s w", "write"},
		{"lock keys revoke --sc", ""}, // of another command
		{"lock serve --door co", aFile},
		{"lock serve --door keys --c", "--color"}, // keys is a file here
		{"lock read sea", "search"},
		{"lock read search fol", ""}, // only the first word
		{"lock read co", aFile},
		{"lock shell k", "ksh"},
		{"lock serve --go", ""}, // hidden
		{"lock sec", ""},        // hidden
		{"lock serve co", ""},   // no files
	}
	var lines []string
	for _, use := range uses {
		lines = append(lines, use.line)
	}
	for _, shell := range programtest.Shells() {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			offered := programtest.Complete(t, shell, codeFor(t, shell), lines...)
			for i, use := range uses {
				want := use.offered
				switch {
				case want == aFile && shell == "bash" && strings.Contains(use.line, "--door"): // bash completes files by itself
					want = ""
				case want == aFile:
					want = "code"
				case want == "" && shell == "zsh": // which leaves the word as it is
					want = use.line[strings.LastIndex(use.line, " ")+1:]
				}
				assert.Equal(t, want, offered[i], use.line)
			}
		})
	}
}

func codeFor(t *testing.T, shell string) string {
	t.Helper()
	parser, err := kong.New(&lock{}, kong.Name("lock"))
	require.NoError(t, err)
	var code strings.Builder
	require.NoError(t, commandline.WriteCompletion(&code, shell, parser.Model, "/home/me"))
	assert.NotContains(t, code.String(), "/home/me")
	return code.String()
}
