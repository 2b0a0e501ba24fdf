package request

import (
	"fmt"
	"io"
)

// maxText is the longest value of a form's field, in bytes: room for the longest
// text of all fields, a link of 2048 characters.
const maxText = 8 << 10

// Form gathers the fields of a multipart form, which come one by one and in any
// order. Make one with [Table.NewForm].
type Form struct {
	table  Table
	values map[string][]string
}

// NewForm returns a form without any field so far.
func (t Table) NewForm() *Form { return &Form{t, map[string][]string{}} }

// Add takes the next field and reads its value. Add returns the reader's error, or an
// INVALID_REQUEST after which the rest of the form, which may be large, need not be
// read. Its status is 400 for an unknown or repeated field, and 422 for a field with
// far too much text or with too many entries.
func (f *Form) Add(name string, value io.Reader) error {
	var is issues
	field := f.table.field(name)
	if field == nil {
		is.cannotRead(name, "is not a field of this form")
		return is.err()
	}
	text, err := io.ReadAll(io.LimitReader(value, maxText+1))
	if err != nil {
		return err
	}
	switch {
	case len(text) > maxText:
		is.doesNotFit(name, fmt.Errorf("is longer than %d bytes", maxText))
	case len(f.values[name]) < field.variable.most():
		f.values[name] = append(f.values[name], string(text))
	case field.variable.most() == 1:
		is.cannotRead(name, "is there more than once")
	default:
		is.doesNotFit(name, fmt.Errorf("must have no more than %d entries", field.variable.most()))
	}
	return is.err()
}

// Check judges the fields that have come so far, so that the rest of a wrong form need
// not be read. Missing fields may still come. The error is the same as that of Read.
func (f *Form) Check() error {
	var is issues
	f.table.takeTexts(f.values, &is)
	return is.err()
}

// Read reads the values of the fields when all have come. Everything in a form is
// text, so a value of the wrong type is one that does not fit. The error is an
// INVALID_REQUEST, as that of [Table.ReadJSON].
func (f *Form) Read() error {
	var is issues
	f.table.readTexts(f.values, &is)
	return is.err()
}
