package request

import "encoding/json"

// Kind says what values a field takes, and which one it has when it is not sent.
type Kind[T any] struct {
	values  values[T]
	initial *T // the default; nil: none
}

// Default returns the kind with a default: the value of a field that is not sent.
func (k Kind[T]) Default(v T) Kind[T] {
	k.initial = &v
	return k
}

// values are those that a kind has: how they are read from JSON and from texts,
// what stands for them in the canonical form, and their JSON schema.
type values[T any] interface {
	fromJSON(json.RawMessage, report) T
	fromTexts([]string, report) T // as many as most says
	most() int                    // how many texts make a value: 1, unless it is a list
	plain(T) any                  // the value as JSON has it
	schema() Schema
}

// single is values that each are one of a JSON type: take turns a value of that
// type into one of the kind, or says what is wrong with it; back turns it back.
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
	if s["$ref"] == nil { // the schema that is referred to has the type
		s["type"] = k.of.name
	}
	return s
}

// itself is what stands for a value that JSON has.
func itself[T any](v T) any { return v }
