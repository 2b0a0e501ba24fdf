package commandline

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/transcriptkit/transcriptkit/examples/internal/plain"
)

// Program is a program with commands.
type Program struct {
	Name           string // its name; in capital letters it is the prefix of its environment variables
	About          string // one sentence
	Vars           kong.Vars
	Moved          []Moved                // flags that are gone
	Groups         func(*kong.Kong) error // puts flags into groups of the help; nil means that there are none
	Stdout, Stderr io.Writer
}

// Parse reads the arguments into a struct of commands, whose Run methods get ctx and the output.
// For missing flags it reads environment variables, except for flags with the tag "verb". A
// [Tolerant] command continues without the flags that are wrong. The command is nil if there is
// nothing to run, because Parse has printed help or the version. The error describes the fault in
// the call. If the call names no command, Parse has printed the help to Stderr.
func (c Program) Parse(ctx context.Context, commands, output any, args []string) (command *kong.Context, err error) {
	answered := false
	set := environment{prefix: strings.ToUpper(c.Name), taken: map[string]bool{}}
	if c.Groups == nil {
		c.Groups = func(*kong.Kong) error { return nil }
	}
	parser, err := kong.New(commands,
		kong.Name(c.Name),
		kong.Description(c.About),
		plain.AsIs(),
		kong.Resolvers(set),
		kong.ValueFormatter(set.help),
		kong.PostBuild(set.tolerate),
		kong.PostBuild(c.Groups),
		c.Vars,
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(c.Stdout, c.Stderr),
		kong.Exit(func(int) { answered = true }), // called after --help and --version were printed
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(output),
	)
	if err != nil {
		return nil, err
	}
	if slices.Equal(args, []string{"--man"}) { // for the packages of a release
		return nil, ManualPage{Help: set.help, Home: home()}.Write(c.Stdout, parser.Model)
	}
	if len(args) > 0 && args[0] == "help" { // as in "help keys create"
		args = append(slices.Clone(args[1:]), "--help")
	}
	command, err = parser.Parse(args)
	var wrong *kong.ParseError
	switch {
	case answered:
		return nil, nil //nolint:nilnil // there is nothing to run
	case errors.As(err, &wrong) && namesNoCommand(wrong.Context):
		wrong.Context.Stdout = c.Stderr
		return nil, cmp.Or(wrong.Context.PrintUsage(false), errors.New("no command is named"))
	case err != nil:
		if gone := c.goneFlag(err); gone != nil {
			return nil, gone
		}
		return nil, errors.New(set.source(plain.Call(err)))
	}
	return command, c.goneVariables(command, set)
}

// namesNoCommand reports whether a call names no command, as in "transcriptd" or "transcriptd
// keys".
func namesNoCommand(call *kong.Context) bool {
	last := cmp.Or(call.Selected(), call.Model.Node)
	return call.Error == nil && len(last.Children) > 0 && last.DefaultCmd == nil
}
