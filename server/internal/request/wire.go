package request

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
)

// wire is a type that JSON has: how its values are read, in JSON and as a text in
// a form, a query, a path or a header.
type wire[W any] struct {
	name     string    // in a schema
	must     wrongType // in an issue
	fromJSON func(json.RawMessage) (W, bool)
	fromText func(string) (W, bool)
}

var (
	texts = wire[string]{"string", "a string", unmarshal[string], func(s string) (string, bool) { return s, true }}

	booleans = wire[bool]{"boolean", "true or false", unmarshal[bool], func(s string) (bool, bool) { return s == "true", s == "true" || s == "false" }}

	integers = wire[int]{"integer", "a whole number", wholeNumber, func(s string) (int, bool) {
		n, err := strconv.Atoi(s)
		return n, err == nil || errors.Is(err, strconv.ErrRange) // then n is the nearest there is, and out of bounds
	}}
)

func unmarshal[W any](raw json.RawMessage) (w W, ok bool) {
	return w, string(raw) != "null" && json.Unmarshal(raw, &w) == nil
}

// wholeNumber reads a number that has no fraction, however it is written: 2e3 and
// 2000.0 are 2000. Of one that is too large for an int it returns a very large
// one: it is a whole number that is out of bounds, not something else.
func wholeNumber(raw json.RawMessage) (int, bool) {
	const most = 1 << 53 // from here on, every float64 is whole
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || f != math.Trunc(f) {
		return 0, false
	}
	return int(min(max(f, -most), most)), true
}
