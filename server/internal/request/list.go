package request

import (
	"encoding/json"
	"fmt"
)

// List is fewest to most values of another kind: an array in JSON, a field or
// parameter that is repeated elsewhere. The path of an issue with an entry ends
// with its place, counted from 0: urls.3.
func List[T any](entry Kind[T], fewest, most int) Kind[[]T] {
	read := func(n int, at func(i int, fault report) T, fault report) []T {
		if n < fewest || n > most {
			fault("", fmt.Errorf("must have %d to %d entries, not %d", fewest, most, n))
			return nil
		}
		all := make([]T, n)
		for i := range all {
			all[i] = at(i, func(place string, err error) { fault(fmt.Sprintf(".%d%s", i, place), err) })
		}
		return all
	}
	return Kind[[]T]{
		fromJSON: func(raw json.RawMessage, fault report) []T {
			entries, ok := unmarshal[[]json.RawMessage](raw)
			if !ok {
				fault("", wrongType("an array"))
				return nil
			}
			return read(len(entries), func(i int, fault report) T { return entry.fromJSON(entries[i], fault) }, fault)
		},
		fromTexts: func(texts []string, fault report) []T {
			return read(len(texts), func(i int, fault report) T { return entry.fromTexts(texts[i:i+1], fault) }, fault)
		},
		most: most,
		plain: func(list []T) any {
			all := make([]any, len(list))
			for i, v := range list {
				all[i] = entry.plain(v)
			}
			return all
		},
		schema: func() Schema {
			return Schema{"type": "array", "items": entry.schema(), "minItems": fewest, "maxItems": most}
		},
	}
}
