package request

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Kind says what values a field takes, how they are read from JSON and from text,
// what stands for them in the canonical form, and their JSON schema.
type Kind[T any] struct {
	fromJSON func(json.RawMessage) (T, error)
	fromText func(string) (T, error)
	plain    func(T) any // the value as JSON has it
	schema   func() Schema
	initial  *T // the default; nil: none
}

// Default returns the kind with a default: the value of a field that is not sent.
func (k Kind[T]) Default(v T) Kind[T] {
	k.initial = &v
	return k
}

// kindOf makes a kind of a type that JSON has: take turns its values into those
// of the kind, or says what is wrong with one; plain goes the other way.
func kindOf[W, T any](of wire[W], take func(W) (T, error), plain func(T) any, bounds func() Schema) Kind[T] {
	return Kind[T]{
		fromJSON: func(raw json.RawMessage) (v T, err error) {
			w, ok := of.fromJSON(raw)
			if !ok {
				return v, of.must
			}
			return take(w)
		},
		fromText: func(text string) (v T, err error) {
			w, ok := of.fromText(text)
			if !ok {
				return v, of.must
			}
			return take(w)
		},
		plain: plain,
		schema: func() Schema {
			s := bounds()
			if _, refers := s["$ref"]; !refers {
				s["type"] = of.name
			}
			return s
		},
	}
}

func itself[T any](v T) any { return v }

// Text is a string of the given number of characters (Unicode code points, not
// bytes); longest 0 means that the handler bounds it.
func Text(shortest, longest int) Kind[string] {
	take := func(s string) (string, error) { return s, checkLength(s, shortest, longest) }
	return kindOf(texts, take, itself, func() Schema { return lengths(shortest, longest) })
}

// Printable is a string of 1 to longest printable ASCII characters.
func Printable(longest int) Kind[string] {
	take := func(s string) (string, error) {
		foreign := strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
		if foreign || len(s) < 1 || len(s) > longest {
			return "", fmt.Errorf("must be 1 to %d printable ASCII characters", longest)
		}
		return s, nil
	}
	return kindOf(texts, take, itself, func() Schema {
		s := lengths(1, longest)
		s["pattern"] = "^[ -~]+$"
		return s
	})
}

// maxLanguages is the longest text that [transcript.ParseLanguageList] takes, in
// characters.
const maxLanguages = 200

// Languages is a priority list of languages; see [transcript.ParseLanguageList].
func Languages() Kind[transcript.LanguageList] {
	plain := func(l transcript.LanguageList) any { return l.String() }
	return kindOf(texts, transcript.ParseLanguageList, plain, func() Schema { return lengths(1, maxLanguages) })
}

// Enum is one of the offered values, in exactly their case. The hidden ones are
// taken too, but the document does not offer them: the handler refuses them with
// a code of its own. The document must have all values of T in a schema that is
// named like T.
func Enum[T ~string](offered []T, hidden ...T) Kind[T] {
	take := func(s string) (T, error) {
		if !slices.Contains(offered, T(s)) && !slices.Contains(hidden, T(s)) {
			return "", fmt.Errorf("must be one of %s", quoted(offered))
		}
		return T(s), nil
	}
	return kindOf(texts, take, func(v T) any { return string(v) }, func() Schema {
		s := Schema{"$ref": "#/components/schemas/" + reflect.TypeFor[T]().Name()}
		if len(hidden) > 0 {
			s["enum"] = offered
		}
		return s
	})
}

// UUID is a UUID in its usual form of 36 characters; the value is in lower case.
func UUID() Kind[string] {
	take := func(s string) (string, error) {
		id, err := uuid.Parse(s)
		if err != nil || len(s) != len(id.String()) { // Parse takes other forms too
			return "", fmt.Errorf("must be a UUID")
		}
		return id.String(), nil
	}
	return kindOf(texts, take, itself, func() Schema { return Schema{"format": "uuid"} })
}

// Integer is a whole number from least to most. In JSON 2e3 and 2000.0 are 2000.
func Integer(least, most int) Kind[int] {
	take := func(n int) (int, error) {
		if n < least || n > most {
			return 0, fmt.Errorf("must be from %d to %d", least, most)
		}
		return n, nil
	}
	return kindOf(integers, take, itself, func() Schema { return Schema{"minimum": least, "maximum": most} })
}

// Milliseconds is a time of 0 to longest, sent as a whole number of milliseconds.
func Milliseconds(longest time.Duration) Kind[time.Duration] {
	number := Integer(0, int(longest.Milliseconds()))
	read := func(n int, err error) (time.Duration, error) { return time.Duration(n) * time.Millisecond, err }
	return Kind[time.Duration]{
		fromJSON: func(raw json.RawMessage) (time.Duration, error) { return read(number.fromJSON(raw)) },
		fromText: func(text string) (time.Duration, error) { return read(number.fromText(text)) },
		plain:    func(d time.Duration) any { return int(d.Milliseconds()) },
		schema:   number.schema,
	}
}

// Boolean is true or false.
func Boolean() Kind[bool] {
	return kindOf(booleans, func(b bool) (bool, error) { return b, nil }, itself, func() Schema { return Schema{} })
}

// Not is a boolean whose variable holds the opposite: false in the request is true
// in the variable.
func Not() Kind[bool] {
	return kindOf(booleans, func(b bool) (bool, error) { return !b, nil }, func(v bool) any { return !v }, func() Schema { return Schema{} })
}

func checkLength(s string, shortest, longest int) error {
	if longest == 0 {
		return nil
	}
	if n := utf8.RuneCountInString(s); n < shortest || n > longest {
		return fmt.Errorf("must have %d to %d characters, not %d", shortest, longest, n)
	}
	return nil
}

func lengths(shortest, longest int) Schema {
	s := Schema{}
	if shortest > 0 {
		s["minLength"] = shortest
	}
	if longest > 0 {
		s["maxLength"] = longest
	}
	return s
}

func quoted[T ~string](values []T) string {
	var all []string
	for _, v := range values {
		all = append(all, strconv.Quote(string(v)))
	}
	return strings.Join(all, ", ")
}
