package request

import (
	"encoding/json"
	"fmt"
)

// Field is one field of a request, bound to the variable that takes its value.
// Make one with [New], [List] or [File].
type Field struct {
	name     string
	about    string      // what the document says of it
	required bool        // or the request cannot be read
	needless func() bool // nil: never
	initial  any         // the default, as the document shows it; nil: none
	fill     func()      // sets the variable to the default; nil: it is left alone
	list     bool        // may be repeated in a form and in a query
	most     int         // of a list: how many entries it may have
	sent     bool

	fromJSON  func(raw json.RawMessage, fault func(path string, fault error))
	fromTexts func(texts []string, fault func(path string, fault error)) // one, unless it is a list
	plain     func() any
	schema    func() Schema
}

// New is a field with one value. When the request does not have it, the variable
// is set to the default of the kind, and left alone where the kind has none.
func New[T any](name string, into *T, kind Kind[T]) *Field {
	f := &Field{name: name, plain: func() any { return kind.plain(*into) }, schema: kind.schema}
	take := func(v T, err error, fault func(string, error)) {
		if err != nil {
			fault(name, err)
			return
		}
		*into = v
	}
	f.fromJSON = func(raw json.RawMessage, fault func(string, error)) {
		v, err := kind.fromJSON(raw)
		take(v, err, fault)
	}
	f.fromTexts = func(texts []string, fault func(string, error)) {
		v, err := kind.fromText(texts[0])
		take(v, err, fault)
	}
	if kind.initial != nil {
		f.initial = kind.plain(*kind.initial)
		f.fill = func() { *into = *kind.initial }
	}
	return f
}

// List is a field with fewest to most values: an array in JSON, a field or
// parameter that is repeated elsewhere. The path of an issue with one of them is
// the name, a dot and its place, counted from 0: urls.3.
func List[T any](name string, into *[]T, item Kind[T], fewest, most int) *Field {
	f := &Field{name: name, list: true, most: most}
	read := func(n int, value func(i int) (T, error), fault func(string, error)) {
		if n < fewest || n > most {
			fault(name, fmt.Errorf("must have %d to %d entries, not %d", fewest, most, n))
			return
		}
		*into = make([]T, n)
		for i := range n {
			v, err := value(i)
			if err != nil {
				fault(fmt.Sprintf("%s.%d", name, i), err)
			}
			(*into)[i] = v
		}
	}
	f.fromJSON = func(raw json.RawMessage, fault func(string, error)) {
		items, ok := unmarshal[[]json.RawMessage](raw)
		if !ok {
			fault(name, wrongType("an array"))
			return
		}
		read(len(items), func(i int) (T, error) { return item.fromJSON(items[i]) }, fault)
	}
	f.fromTexts = func(texts []string, fault func(string, error)) {
		read(len(texts), func(i int) (T, error) { return item.fromText(texts[i]) }, fault)
	}
	f.plain = func() any {
		all := make([]any, len(*into))
		for i, v := range *into {
			all[i] = item.plain(v)
		}
		return all
	}
	f.schema = func() Schema {
		return Schema{"type": "array", "items": item.schema(), "minItems": fewest, "maxItems": most}
	}
	return f
}

// File is the part of a form that carries a file. The table only describes it:
// whoever reads the form reads the file.
func File(name string) *Field {
	noValue := func(fault func(string, error)) { fault(name, wrongType("a file")) }
	return &Field{
		name:      name,
		required:  true,
		fromJSON:  func(_ json.RawMessage, fault func(string, error)) { noValue(fault) },
		fromTexts: func(_ []string, fault func(string, error)) { noValue(fault) },
		schema:    func() Schema { return Schema{"$ref": "#/components/schemas/MultipartFile"} },
	}
}

// About sets what the document says of the field and returns it.
func (f *Field) About(text string) *Field {
	f.about = text
	return f
}

// Required makes a request without the field one that cannot be read, and returns
// the field.
func (f *Field) Required() *Field {
	f.required = true
	return f
}

// NeedlessIf lets the field be missing in its set of [Table.OneOf] where the
// condition holds, once the request has been read. It returns the field.
func (f *Field) NeedlessIf(condition func() bool) *Field {
	f.needless = condition
	return f
}

// ShowDefault lets the document show a default that the handler fills in, as it
// depends on more than the request. It returns the field.
func (f *Field) ShowDefault(v any) *Field {
	f.initial = v
	return f
}

// WithoutDefaults lets the variables of the fields keep what they hold where
// nothing is sent, and returns the fields.
func WithoutDefaults(fields []*Field) []*Field {
	for _, f := range fields {
		f.initial, f.fill = nil, nil
	}
	return fields
}
