package request

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// scalar is one of JSON's types. It reads a value of the type from JSON and from a text in a
// form, a query, a path or a header.
type scalar[S any] struct {
	name     string    // the type's name in a schema
	must     wrongType // the type's name in an issue
	fromJSON func(json.RawMessage) (S, bool)
	fromText func(string) (S, bool)
}

var (
	texts    = &scalar[string]{"string", "a string", unmarshal[string], func(s string) (string, bool) { return s, true }}
	booleans = &scalar[bool]{"boolean", "true or false", unmarshal[bool], parseBoolean}
	integers = &scalar[int]{"integer", "a whole number", wholeNumber, parseInteger}
)

// unmarshal reads a JSON value of the type. It refuses null.
func unmarshal[T any](raw json.RawMessage) (v T, ok bool) {
	return v, string(raw) != "null" && json.Unmarshal(raw, &v) == nil
}

func parseBoolean(text string) (v, ok bool) { return text == "true", text == "true" || text == "false" }

// wholeNumber reads a number without a fraction in any notation: 2e3 and 2000.0 are 2000. For a
// number beyond the range of int, wholeNumber returns a very large number. So the number is out
// of bounds and not of a wrong type.
func wholeNumber(raw json.RawMessage) (int, bool) {
	const most = 1 << 53 // from here on, every float64 is whole
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || !isWhole(string(raw)) {
		return 0, false
	}
	return int(min(max(f, -most), most)), true
}

// isWhole reports whether a number of JSON has no fraction. 1e-999 has a fraction, though its
// nearest float64 is 0.
func isWhole(number string) bool {
	number, power, _ := strings.Cut(strings.ToLower(number), "e")
	before, after, _ := strings.Cut(number, ".")
	digits := before + after
	significant := strings.TrimRight(digits, "0")
	if strings.Trim(significant, "-0") == "" {
		return true
	}
	exponent, _ := strconv.Atoi(power) // Atoi returns the largest int for a larger number
	return exponent >= len(after)-(len(digits)-len(significant))
}

func parseInteger(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil || errors.Is(err, strconv.ErrRange) // n is then the nearest int
}
