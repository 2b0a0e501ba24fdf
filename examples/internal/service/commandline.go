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

// CommandLine is that of a program which runs the service.
type CommandLine struct {
	Program        string // its name, and in capital letters what its variables begin with
	About          string // in a sentence
	Vars           kong.Vars
	Stdout, Stderr io.Writer
}

// Parse reads the arguments, and for what they leave out the environment, into a struct
// of commands, whose Run gets ctx and the output. The command is nil where there is
// nothing to run, as help was asked for and given. The error says what is wrong with the
// call.
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

// withoutValue takes out of a parser's error what a variable of the environment holds,
// which may be a password.
func withoutValue(err error) error {
	return errors.New(regexp.MustCompile(`(?s) \(from envar (\w+)=.*\)$`).ReplaceAllString(err.Error(), " (from $$$1)"))
}
