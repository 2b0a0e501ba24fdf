package commandline

import (
	"os"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// environment reads the flags that are missing on the command line from environment variables, as
// a [kong.Resolver]. The parser asks it only for missing flags, so that a broken variable does
// not matter if the flag is given.
type environment struct {
	prefix string          // of the variables
	taken  map[string]bool // the names of the flags that have a value from a variable
}

// verb is the tag of a flag that describes a single call, such as --yes. No variable sets it,
// because a variable applies to all calls.
const verb = "verb"

// variable returns the environment variable of a flag, or empty if there is none.
func (s environment) variable(flag *kong.Value) string {
	if flag.Flag == nil || flag.Name == "help" || flag.Tag.Has(verb) {
		return ""
	}
	return s.named(flag.Name)
}

// named returns the variable of a flag that has one, by the name of the flag.
func (s environment) named(flag string) string {
	return s.prefix + "_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Validate is called by the parser.
func (environment) Validate(*kong.Application) error { return nil }

// Resolve is called by the parser for a missing flag. An empty variable counts as absent.
func (s environment) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	name := s.variable(flag.Value)
	if name == "" {
		return nil, nil
	}
	value := os.Getenv(name) //nolint:forbidigo // this is the one place that reads settings from the environment
	if value == "" {
		return nil, nil
	}
	s.taken[flag.Name] = true
	return value, nil
}

// help adds the name of the variable to the help of a flag.
func (s environment) help(flag *kong.Value) string {
	name := s.variable(flag)
	if name == "" {
		return flag.Help
	}
	return strings.TrimSuffix(flag.Help, ".") + " ($" + name + ")."
}

var namedFlag = regexp.MustCompile(`^--([a-z-]+)`)

// source adds the variable to an error about a flag whose value comes from the variable.
func (s environment) source(err string) string {
	named := namedFlag.FindStringSubmatch(err)
	if named == nil || !s.taken[named[1]] {
		return err
	}
	return err + " (from $" + s.named(named[1]) + ")"
}
