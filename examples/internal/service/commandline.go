package service

import (
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// CommandLine is the command line of a program that runs the service.
type CommandLine struct {
	Program        string // its name; in capital letters it is the prefix of its environment variables
	About          string // one sentence
	Vars           kong.Vars
	Stdout, Stderr io.Writer
}

// Parse reads the arguments into a struct of commands, whose Run methods get ctx and the
// output. For missing flags it reads environment variables. The command is nil if there is
// nothing to run, because Parse has printed help. The error describes the fault in the call.
func (c CommandLine) Parse(ctx context.Context, commands, output any, args []string) (command *kong.Context, err error) {
	helped := false
	parser, err := kong.New(commands,
		kong.Name(c.Program),
		kong.Description(c.About),
		kong.DefaultEnvars(strings.ToUpper(c.Program)),
		c.Vars,
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(c.Stdout, c.Stderr),
		kong.Exit(func(int) { helped = true }), // called after --help was printed
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(output),
	)
	if err != nil {
		return nil, err
	}
	if len(args) > 0 && args[0] == "help" { // as in "help keys create"
		args = append(slices.Clone(args[1:]), "--help")
	}
	command, err = parser.Parse(args)
	switch {
	case helped:
		return nil, nil //nolint:nilnil // there is nothing to run
	case err != nil:
		return nil, withoutValue(err)
	}
	return command, nil
}

// withoutValue removes the value of an environment variable from a parser's error, because the
// value may be a password.
func withoutValue(err error) error {
	return errors.New(regexp.MustCompile(`(?s) \(from envar (\w+)=.*\)$`).ReplaceAllString(err.Error(), " (from $$$1)"))
}
