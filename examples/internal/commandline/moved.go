package commandline

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/alecthomas/kong"
)

// Moved is a flag that has become a member of the file that another flag names.
type Moved struct {
	Flag   string // the name of the flag, as pace
	File   string // the name of the flag of the file, as links
	Member string // as pace
}

// Error says what replaces the flag.
func (m Moved) Error() string {
	return fmt.Sprintf("--%s is now the member %s of the file that --%s names", m.Flag, m.Member, m.File)
}

var unknownFlag = regexp.MustCompile(`^unknown flag --([a-z-]+)`)

// goneFlag returns the replacement of the flag in an error of the parser, or nil if the error is
// about something else.
func (c Program) goneFlag(err error) error {
	named := unknownFlag.FindStringSubmatch(err.Error())
	for _, m := range c.Moved {
		if named != nil && m.Flag == named[1] {
			return m
		}
	}
	return nil
}

// goneVariables refuses the variables of removed flags, for a command that has the flag of the
// file. A [Tolerant] command continues.
func (c Program) goneVariables(call *kong.Context, set environment) error {
	node := call.Selected()
	for _, m := range c.Moved {
		has := node != nil && slices.ContainsFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == m.File })
		if !has || os.Getenv(set.named(m.Flag)) == "" { //nolint:forbidigo // as in Resolve
			continue
		}
		set.taken[m.Flag] = true
		err := errors.New(set.source(m.Error()))
		command, tolerant := node.Target.Addr().Interface().(Tolerant)
		if !tolerant {
			return err
		}
		command.Tolerate(err)
	}
	return nil
}
