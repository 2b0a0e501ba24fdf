package service

import (
	"github.com/alecthomas/kong"

	"github.com/transcriptkit/transcriptkit/examples/internal/commandline"
)

// Completion is a command that prints the code with which a shell completes the command line.
type Completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Run prints the code.
func (c *Completion) Run(call *kong.Context) error {
	return commandline.WriteCompletion(call.Stdout, c.Shell, call.Model, home())
}
