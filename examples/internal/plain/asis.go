package plain

import (
	"reflect"

	"github.com/alecthomas/kong"
)

// AsIs makes the parser keep an argument unchanged. Without AsIs, the parser would replace
// bytes that are not UTF-8, and a file with such a name would not be found.
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
