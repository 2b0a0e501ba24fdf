package plain

import (
	"reflect"

	"github.com/alecthomas/kong"
)

// AsIs lets the parser take an argument as it is. Without AsIs, the parser would replace bytes
// that are not UTF-8, and a file with such a name would not be found.
func AsIs() kong.Option {
	return kong.KindMapper(reflect.String, kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue("string")
		if err != nil {
			return err
		}
		target.SetString(token.String())
		return nil
	}))
}
