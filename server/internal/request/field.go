package request

import "encoding/json"

// Field is one field of a request, bound to the variable that takes its value.
// Make one with [New] or [File].
type Field struct {
	name     string
	about    string      // what the document says of it
	required bool        // or the request cannot be read
	needless func() bool // nil: never
	initial  any         // the default, as the document shows it; nil: none
	fill     func()      // sets the variable to the default; nil: it is left alone
	sent     bool

	// What its kind does, with its variable.
	fromJSON  func(json.RawMessage, report)
	fromTexts func([]string, report)
	most      int // how many texts there may be
	plain     func() any
	schema    func() Schema
}

// New is a field whose value goes into a variable. When the request does not have
// it, the variable is set to the default of the kind, and left alone where the
// kind has none.
func New[T any](name string, into *T, kind Kind[T]) *Field {
	f := &Field{
		name:      name,
		fromJSON:  func(raw json.RawMessage, fault report) { *into = kind.fromJSON(raw, fault) },
		fromTexts: func(texts []string, fault report) { *into = kind.fromTexts(texts, fault) },
		most:      kind.most,
		plain:     func() any { return kind.plain(*into) },
		schema:    kind.schema,
	}
	if kind.initial != nil {
		f.initial = kind.plain(*kind.initial)
		f.fill = func() { *into = *kind.initial }
	}
	return f
}

// File is the part of a form that carries a file. The table only describes it:
// whoever reads the form reads the file.
func File(name string) *Field {
	noValue := func(fault report) { fault("", wrongType("a file")) }
	return &Field{
		name:      name,
		required:  true,
		fromJSON:  func(_ json.RawMessage, fault report) { noValue(fault) },
		fromTexts: func(_ []string, fault report) { noValue(fault) },
		most:      1,
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
