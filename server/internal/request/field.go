package request

import "encoding/json"

// Field is one field of a request. It is bound to the variable for its value. Make a Field with
// [New] or [File].
type Field struct {
	name     string
	about    string // the field's description in the document
	variable variable
	required bool        // a request without the field cannot be read
	needless func() bool // set by NeedlessIf; may be nil
	fills    bool        // the variable gets the default if the request does not have the field
	shown    any         // the document's default, if the handler fills it in; otherwise nil
	enum     *EnumSchema // nil if the field is no enum
	sent     bool
}

// variable holds the value of a field.
type variable interface {
	fromJSON(json.RawMessage, report)
	fromTexts([]string, report)
	most() int    // the largest number of texts
	fill()        // sets the variable to the default
	initial() any // the default in the form for the document
	plain() any   // the value in the form of JSON
	schema() Schema
}

// New returns a field for the variable into. If the request does not have the field, the
// variable gets the default of the kind. If the kind has no default, the variable keeps its
// value.
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

// File returns the field for a form's part with a file. The table only describes the part. The
// reader of the form reads the file.
func File(name string) *Field { return &Field{name: name, variable: file{}, required: true} }

type file struct{}

func (file) fromJSON(_ json.RawMessage, to report) { to.fault(wrongType("a file")) }
func (file) fromTexts(_ []string, to report)       { to.fault(wrongType("a file")) }
func (file) most() int                             { return 1 }
func (file) fill()                                 {}
func (file) initial() any                          { return nil }
func (file) plain() any                            { return nil }
func (file) schema() Schema                        { return Schema{"$ref": "#/components/schemas/MultipartFile"} }

// About sets the field's description in the document and returns the field.
func (f *Field) About(text string) *Field {
	f.about = text
	return f
}

// Required returns the field after marking it as required: a request without the field cannot
// be read.
func (f *Field) Required() *Field {
	f.required = true
	return f
}

// NeedlessIf permits the field to be missing from its set in [Table.OneOf] if the condition
// holds. The table calls condition after it has read the request. NeedlessIf returns the field.
func (f *Field) NeedlessIf(condition func() bool) *Field {
	f.needless = condition
	return f
}

// ShowDefault sets the default in the document, for a default that the handler fills in because
// it depends on more than the request. ShowDefault returns the field.
func (f *Field) ShowDefault(v any) *Field {
	f.shown = v
	return f
}

// WithoutDefaults returns the fields after removing their defaults: the variable of a field
// that is not sent keeps its value.
func WithoutDefaults(fields []*Field) []*Field {
	for _, f := range fields {
		f.fills, f.shown = false, nil
	}
	return fields
}
