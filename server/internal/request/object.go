package request

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Object is a JSON object with the fields of a table, such as an entry of a [List]. table makes
// the table of a value. The path of an issue begins with the path of the object, as in
// segments.3.text.
func Object[T any](table func(*T) Table) Kind[T] {
	return Kind[T]{values: &object[T]{table}}
}

type object[T any] struct{ table func(*T) Table }

func (o *object[T]) fromJSON(raw json.RawMessage, to report) (v T) {
	if len(raw) == 0 || raw[0] != '{' { // raw is valid JSON without spaces at its ends
		to.fault(wrongType("an object"))
		return v
	}
	t := o.table(&v)
	var is issues
	if t.readObject(raw, &is) {
		t.complete(&is)
	}
	for _, issue := range is.unreadable {
		add(&to.to.unreadable, issue.Reason, to.path+"."+issue.Path, issue.Message)
	}
	for _, issue := range is.unfit {
		add(&to.to.unfit, issue.Reason, to.path+"."+issue.Path, issue.Message)
	}
	return v
}

func (o *object[T]) fromTexts(_ []string, to report) (v T) {
	to.fault(wrongType("an object"))
	return v
}

func (o *object[T]) most() int      { return 1 }
func (o *object[T]) plain(v T) any  { return v }
func (o *object[T]) schema() Schema { return o.table(new(T)).Schema() }

// Optional is another kind whose value is nil if the field is not sent.
func Optional[T any](of Kind[T]) Kind[*T] { return Kind[*T]{values: &optional[T]{of.values}} }

type optional[T any] struct{ of values[T] }

func (o *optional[T]) fromJSON(raw json.RawMessage, to report) *T {
	return new(o.of.fromJSON(raw, to))
}
func (o *optional[T]) fromTexts(texts []string, to report) *T { return new(o.of.fromTexts(texts, to)) }
func (o *optional[T]) most() int                              { return o.of.most() }
func (o *optional[T]) plain(v *T) any                         { return o.of.plain(*v) }
func (o *optional[T]) schema() Schema                         { return o.of.schema() }

// Nullable is another kind that also takes null, which is the zero value.
func Nullable[T any](of Kind[T]) Kind[T] { return Kind[T]{values: &nullable[T]{of.values}} }

type nullable[T any] struct{ values[T] }

func (n *nullable[T]) fromJSON(raw json.RawMessage, to report) (v T) {
	if string(raw) == "null" {
		return v
	}
	return n.values.fromJSON(raw, to)
}

func (n *nullable[T]) schema() Schema {
	s := n.values.schema()
	s["type"] = []any{s["type"], "null"}
	return s
}

// Texts is a JSON object of at most most texts by names. The bounds hold for the names and the
// texts, in characters.
func Texts(most, longest int) Kind[map[string]string] {
	return Kind[map[string]string]{values: &textMap{most, longest}}
}

type textMap struct{ longestMap, longest int }

func (m *textMap) fromJSON(raw json.RawMessage, to report) map[string]string {
	all, ok := textsOf(raw)
	if !ok {
		to.fault(wrongType("an object of strings with different names"))
		return nil
	}
	if len(all) > m.longestMap {
		to.fault(faultf(transcript.IssueLength, "must have at most %d members, not %d", m.longestMap, len(all)))
		return nil
	}
	for name, text := range all {
		if err := ofLength(name, 1, m.longest); err != nil {
			to.fault(fmt.Errorf("has a name that %w", err))
		}
		if err := ofLength(text, 0, m.longest); err != nil {
			to.fault(fmt.Errorf("has a text that %w", err))
		}
	}
	return all
}

// textsOf reads an object of strings. A null is no string. If a name is there twice, ok is false,
// because the object does not tell which string counts.
func textsOf(raw json.RawMessage) (all map[string]string, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return nil, false
	}
	all = map[string]string{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		value, err := dec.Token()
		text, isText := value.(string)
		if _, twice := all[name.(string)]; err != nil || !isText || twice { // the decoder accepts only strings as names
			return nil, false
		}
		all[name.(string)] = text
	}
	return all, true
}

func (m *textMap) fromTexts(_ []string, to report) map[string]string {
	to.fault(wrongType("an object of strings with different names"))
	return nil
}

func (m *textMap) most() int { return 1 }

func (m *textMap) plain(v map[string]string) any { return v }

func (m *textMap) schema() Schema {
	return Schema{
		"type": "object", "maxProperties": m.longestMap, "propertyNames": lengths(1, m.longest),
		"additionalProperties": Schema{"type": "string", "maxLength": m.longest},
	}
}
