package request

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Text is a string of shortest to longest characters (Unicode code points, not bytes). If
// longest is 0, the handler bounds the length.
func Text(shortest, longest int) Kind[string] {
	take := func(s string) (string, error) { return s, ofLength(s, shortest, longest) }
	return kindOf(texts, take, itself, func() Schema { return lengths(shortest, longest) })
}

func ofLength(s string, shortest, longest int) error {
	if n := utf8.RuneCountInString(s); longest > 0 && (n < shortest || n > longest) {
		return faultf(transcript.IssueLength, "must have %d to %d characters, not %d", shortest, longest, n)
	}
	return nil
}

// Plain is a Text without control characters, for a text that the service looks up in a
// database: not every database accepts every control character.
func Plain(shortest, longest int) Kind[string] {
	take := func(s string) (string, error) {
		if strings.ContainsFunc(s, unicode.IsControl) {
			return "", errors.New("must not hold control characters")
		}
		return s, ofLength(s, shortest, longest)
	}
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

// maxLanguages is the length of the longest list that [transcript.ParseLanguageList] accepts,
// in characters.
const maxLanguages = 200

// Languages is a priority list of languages: see [transcript.ParseLanguageList].
func Languages() Kind[transcript.LanguageList] {
	plain := func(l transcript.LanguageList) any { return l.String() }
	return kindOf(texts, transcript.ParseLanguageList, plain, func() Schema { return lengths(1, maxLanguages) })
}

// Enum is one of the offered values. The case matters. A hidden value is accepted too, but the
// document does not show it: the handler refuses the value with a specific code. The schema's
// name in the document is the name of T, unless [SchemaName] has another. [Table.Enums]
// returns the schemas of a table's enums.
func Enum[T ~string](offered []T, hidden ...T) Kind[T] {
	name, ok := SchemaName(reflect.TypeFor[T]())
	if !ok {
		name = reflect.TypeFor[T]().Name()
	}
	take := func(s string) (T, error) {
		if v := T(s); slices.Contains(offered, v) || slices.Contains(hidden, v) {
			return v, nil
		}
		return "", faultf(transcript.IssueChoice, "must be one of %s", quoted(offered, ", "))
	}
	kind := kindOf(texts, take, func(v T) any { return string(v) }, func() Schema {
		s := Schema{"$ref": "#/components/schemas/" + name}
		if len(hidden) > 0 {
			s["enum"] = offered
		}
		return s
	})
	if len(hidden) == 0 {
		kind.enum = &EnumSchema{Name: name, Values: offered}
	}
	return kind
}

// EnumSchema is the document's schema of an enum.
type EnumSchema struct {
	Name   string
	Values any // a slice of the enum's type
}

// UUID is a UUID in its usual form of 36 characters. The value is in lower case.
func UUID() Kind[string] {
	take := func(s string) (string, error) {
		id, err := uuid.Parse(s)
		if err != nil || len(s) != len(id.String()) { // Parse accepts other forms too
			return "", errors.New("must be a UUID")
		}
		return id.String(), nil
	}
	return kindOf(texts, take, itself, func() Schema { return Schema{"format": "uuid"} })
}

func lengths(shortest, longest int) Schema {
	s := Schema{}
	if longest > 0 {
		s["minLength"], s["maxLength"] = shortest, longest
	}
	return s
}

func quoted[T ~string](values []T, between string) string {
	var all []string
	for _, v := range values {
		all = append(all, strconv.Quote(string(v)))
	}
	return strings.Join(all, between)
}
