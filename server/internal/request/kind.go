package request

import "encoding/json"

// Kind describes the values of a field and the default.
type Kind[T any] struct {
	values  values[T]
	initial *T          // the default; nil means none
	enum    *EnumSchema // nil if the kind is no enum, or if the document does not show the values
}

// Default returns the kind with v as the value of a field that is not sent.
func (k Kind[T]) Default(v T) Kind[T] {
	k.initial = &v
	return k
}

// values reads the values of a kind from JSON and from texts, writes their canonical
// form, and describes them as a JSON schema.
type values[T any] interface {
	fromJSON(json.RawMessage, report) T
	fromTexts([]string, report) T // gets at most most() texts
	most() int                    // the largest number of texts for a value: 1 except for a list
	plain(T) any                  // the value in the form of JSON
	schema() Schema
}

// single is a kind whose values have one JSON type. take turns a value of the JSON type into a
// value of the kind, or returns an error with the fault. back does the reverse.
type single[S, T any] struct {
	of     *scalar[S]
	take   func(S) (T, error)
	back   func(T) any
	bounds func() Schema
}

func kindOf[S, T any](of *scalar[S], take func(S) (T, error), back func(T) any, bounds func() Schema) Kind[T] {
	return Kind[T]{values: &single[S, T]{of, take, back, bounds}}
}

func (k *single[S, T]) fromJSON(raw json.RawMessage, to report) T {
	v, ok := k.of.fromJSON(raw)
	return k.read(v, ok, to)
}

func (k *single[S, T]) fromTexts(texts []string, to report) T {
	v, ok := k.of.fromText(texts[0])
	return k.read(v, ok, to)
}

func (k *single[S, T]) read(s S, ok bool, to report) (v T) {
	if !ok {
		to.fault(k.of.must)
		return v
	}
	v, err := k.take(s)
	if err != nil {
		to.fault(err)
	}
	return v
}

func (k *single[S, T]) most() int { return 1 }

func (k *single[S, T]) plain(v T) any { return k.back(v) }

func (k *single[S, T]) schema() Schema {
	s := k.bounds()
	if s["$ref"] == nil { // a referred schema states its own type
		s["type"] = k.of.name
	}
	return s
}

// itself is the back of a kind whose values JSON has.
func itself[T any](v T) any { return v }
