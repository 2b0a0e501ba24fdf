package request

import "encoding/json"

// Kind says what values a field takes: how they are read from JSON and from text,
// what stands for them in the canonical form, and their JSON schema.
type Kind[T any] struct {
	fromJSON  func(json.RawMessage, report) T
	fromTexts func([]string, report) T // as many as most says
	most      int                      // how many texts make a value: 1, unless it is a list
	plain     func(T) any              // the value as JSON has it
	schema    func() Schema
	initial   *T // the default; nil: none
}

// report takes note of a fault in a value, or in one at a place within it: ".3" is
// the entry 3 of a list.
type report func(place string, fault error)

// Default returns the kind with a default: the value of a field that is not sent.
func (k Kind[T]) Default(v T) Kind[T] {
	k.initial = &v
	return k
}

// kindOf makes a kind of one of JSON's types: take turns a value of that type into
// one of the kind, or says what is wrong with it; plain turns it back.
func kindOf[S, T any](of scalar[S], take func(S) (T, error), plain func(T) any, bounds func() Schema) Kind[T] {
	read := func(s S, ok bool, fault report) (v T) {
		var err error = of.must
		if ok {
			v, err = take(s)
		}
		if err != nil {
			fault("", err)
		}
		return v
	}
	return Kind[T]{
		fromJSON: func(raw json.RawMessage, fault report) T {
			s, ok := of.fromJSON(raw)
			return read(s, ok, fault)
		},
		fromTexts: func(texts []string, fault report) T {
			s, ok := of.fromText(texts[0])
			return read(s, ok, fault)
		},
		most:  1,
		plain: plain,
		schema: func() Schema {
			s := bounds()
			if s["$ref"] == nil { // the schema that is referred to has the type
				s["type"] = of.name
			}
			return s
		},
	}
}

// itself is what stands for a value that JSON has.
func itself[T any](v T) any { return v }
