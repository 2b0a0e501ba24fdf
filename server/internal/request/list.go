package request

import (
	"bytes"
	"encoding/json"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// List returns the Kind of lists that have from fewest to most values of another kind. In
// JSON, a list is an array. Elsewhere, the field or parameter is repeated. The path of an
// issue with an entry ends with the entry's index, as in urls.3.
func List[T any](entry Kind[T], fewest, most int) Kind[[]T] {
	return Kind[[]T]{values: &list[T]{entry.values, fewest, most}}
}

type list[T any] struct {
	entry           values[T]
	fewest, longest int
}

func (l *list[T]) fromJSON(raw json.RawMessage, to report) []T {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if start, _ := dec.Token(); start != json.Delim('[') { // raw is valid JSON
		to.fault(wrongType("an array"))
		return nil
	}
	var entries []json.RawMessage
	for dec.More() {
		if len(entries) == l.longest { // a list may have millions of further entries
			to.fault(faultf(transcript.IssueLength, "must have %d to %d entries, not more", l.fewest, l.longest))
			return nil
		}
		var entry json.RawMessage
		if dec.Decode(&entry) != nil {
			break // never: raw is valid JSON
		}
		entries = append(entries, entry)
	}
	return l.read(len(entries), to, func(i int, to report) T { return l.entry.fromJSON(entries[i], to) })
}

func (l *list[T]) fromTexts(texts []string, to report) []T {
	return l.read(len(texts), to, func(i int, to report) T { return l.entry.fromTexts(texts[i:i+1], to) })
}

func (l *list[T]) read(n int, to report, at func(int, report) T) []T {
	if n < l.fewest || n > l.longest {
		to.fault(faultf(transcript.IssueLength, "must have %d to %d entries, not %d", l.fewest, l.longest, n))
		return nil
	}
	all := make([]T, n)
	for i := range all {
		all[i] = at(i, to.at(i))
	}
	return all
}

func (l *list[T]) most() int { return l.longest }

func (l *list[T]) plain(entries []T) any {
	all := make([]any, len(entries))
	for i, v := range entries {
		all[i] = l.entry.plain(v)
	}
	return all
}

func (l *list[T]) schema() Schema {
	return Schema{"type": "array", "items": l.entry.schema(), "minItems": l.fewest, "maxItems": l.longest}
}
