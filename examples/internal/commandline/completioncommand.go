package commandline

import (
	"os"

	"github.com/alecthomas/kong"
)

// Completion is a command that prints the code with which a shell completes the command line.
type Completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Run prints the code.
func (c *Completion) Run(call *kong.Context) error {
	return WriteCompletion(call.Stdout, c.Shell, call.Model, home())
}

// home returns the user's home, or empty if there is none.
func home() string {
	dir, _ := os.UserHomeDir() // a user without a home has no folder there either
	return dir
}
