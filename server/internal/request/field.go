package request

import "encoding/json"

// Field is one field of a request, bound to the variable that takes its value.
// Make one with [New] or [File].
type Field struct {
	name     string
	about    string // what the document says of it
	variable variable
	required bool        // or the request cannot be read
	needless func() bool // nil: never
	fills    bool        // it sets the variable to the default where nothing is sent
	shown    any         // the default in the document that the handler fills in; nil: none
	enum     *EnumSchema // nil: it is none
	sent     bool
}

// variable takes the value of a field.
type variable interface {
	fromJSON(json.RawMessage, report)
	fromTexts([]string, report)
	most() int    // how many texts there may be
	fill()        // sets it to the default
	initial() any // the default, as the document shows it
	plain() any   // what it holds, as JSON has it
	schema() Schema
}

// New is a field whose value goes into a variable. When the request does not have
// it, the variable is set to the default of the kind, and left alone where the
// kind has none.
func New[T any](name string, into *T, kind Kind[T]) *Field {
	return &Field{name: name, variable: &bound[T]{into, kind}, fills: kind.initial != nil, enum: kind.enum}
}

// bound is a variable with the kind of its values.
type bound[T any] struct {
	into *T
	kind Kind[T]
}

func (b *bound[T]) fromJSON(raw json.RawMessage, to report) {
	*b.into = b.kind.values.fromJSON(raw, to)
}

func (b *bound[T]) fromTexts(texts []string, to report) {
	*b.into = b.kind.values.fromTexts(texts, to)
}

func (b *bound[T]) most() int      { return b.kind.values.most() }
func (b *bound[T]) fill()          { *b.into = *b.kind.initial }
func (b *bound[T]) initial() any   { return b.kind.values.plain(*b.kind.initial) }
func (b *bound[T]) plain() any     { return b.kind.values.plain(*b.into) }
func (b *bound[T]) schema() Schema { return b.kind.values.schema() }

// File is the part of a form that carries a file. The table only describes the part:
// the reader of the form reads the file.
func File(name string) *Field { return &Field{name: name, variable: file{}, required: true} }

type file struct{}

func (file) fromJSON(_ json.RawMessage, to report) { to.fault(wrongType("a file")) }
func (file) fromTexts(_ []string, to report)       { to.fault(wrongType("a file")) }
func (file) most() int                             { return 1 }
func (file) fill()                                 {}
func (file) initial() any                          { return nil }
func (file) plain() any                            { return nil }
func (file) schema() Schema                        { return Schema{"$ref": "#/components/schemas/MultipartFile"} }

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
	f.shown = v
	return f
}

// WithoutDefaults lets the variables of the fields keep what they hold where
// nothing is sent, and returns the fields.
func WithoutDefaults(fields []*Field) []*Field {
	for _, f := range fields {
		f.fills, f.shown = false, nil
	}
	return fields
}
