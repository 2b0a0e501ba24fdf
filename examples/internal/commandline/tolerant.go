package commandline

import (
	"errors"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/transcriptkit/transcriptkit/examples/internal/plain"
)

// A Tolerant command runs although values of its flags are wrong. The flags then have their
// defaults.
type Tolerant interface {
	// Tolerate gets the fault of a value, which names the flag and its variable.
	Tolerate(fault error)
}

// tolerate makes the flags of tolerant commands accept wrong values.
func (s environment) tolerate(k *kong.Kong) error {
	for _, leaf := range k.Model.Leaves(false) {
		command, ok := leaf.Target.Addr().Interface().(Tolerant)
		if !ok {
			continue
		}
		for _, flag := range leaf.Flags {
			flag.Mapper = lenient{flag.Mapper, func(err error) {
				command.Tolerate(errors.New(s.source("--" + flag.Name + ": " + plain.Call(err))))
			}}
		}
	}
	return nil
}

// lenient decodes the value of a flag, and takes the default for a wrong value.
type lenient struct {
	kong.Mapper
	tell func(fault error)
}

// Decode is called by the parser.
func (l lenient) Decode(from *kong.DecodeContext, to reflect.Value) error {
	err := l.Mapper.Decode(from, to)
	if err == nil || strings.Contains(err.Error(), " value but got ") { // no value at all is a wrong call; kong has no type for this error
		return err
	}
	l.tell(err)
	to.Set(reflect.Zero(to.Type()))
	if !from.Value.HasDefault {
		return nil
	}
	from.Scan = kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: from.Value.Default})
	return l.Mapper.Decode(from, to)
}
