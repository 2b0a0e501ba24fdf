package request

import (
	"bytes"
	"encoding/json"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// NumberOr is a whole number from least to most, or a word. In JSON, the number may also be a
// string of digits. number makes a value of a number, and word of any other string; schema
// describes the strings, without their type.
func NumberOr[T any](least, most int, number func(int) T, word func(string) (T, error), schema Schema, plain func(T) any) Kind[T] {
	return Kind[T]{values: &numberOr[T]{least, most, number, word, schema, plain}}
}

type numberOr[T any] struct {
	least, longest int
	number         func(int) T
	word           func(string) (T, error)
	words          Schema
	back           func(T) any
}

func (k *numberOr[T]) fromJSON(raw json.RawMessage, to report) (v T) {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		text, _ := unmarshal[string](raw) // raw is valid JSON
		return k.fromTexts([]string{text}, to)
	}
	n, ok := wholeNumber(raw)
	if !ok {
		to.fault(wrongType("a whole number or a string"))
		return v
	}
	return k.take(n, to)
}

func (k *numberOr[T]) fromTexts(texts []string, to report) T {
	if n, ok := parseInteger(texts[0]); ok {
		return k.take(n, to)
	}
	v, err := k.word(texts[0])
	if err != nil {
		to.fault(err)
	}
	return v
}

func (k *numberOr[T]) take(n int, to report) (v T) {
	if n < k.least || n > k.longest {
		to.fault(faultf(transcript.IssueRange, "must be from %d to %d", k.least, k.longest))
		return v
	}
	return k.number(n)
}

func (k *numberOr[T]) most() int { return 1 }

func (k *numberOr[T]) plain(v T) any { return k.back(v) }

func (k *numberOr[T]) schema() Schema {
	words := Schema{"type": "string"}
	for name, value := range k.words {
		words[name] = value
	}
	return Schema{"oneOf": []any{Schema{"type": "integer", "minimum": k.least, "maximum": k.longest}, words}}
}
