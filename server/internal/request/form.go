package request

import (
	"io"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxText is the longest value of a form's field, in bytes. The longest text of all fields, a
// link of 2048 characters, fits.
const maxText = 8 << 10

// Form collects the fields of a multipart form. The fields arrive one by one and in any order.
// Make a Form with [Table.NewForm].
type Form struct {
	table  Table
	values map[string][]string
}

// NewForm returns a form without fields.
func (t Table) NewForm() *Form { return &Form{t, map[string][]string{}} }

// Add takes the next field and reads its value. The error is the reader's, or an
// INVALID_REQUEST. The status is 400 for an unknown or repeated field, and 422 for a value
// longer than maxText or for too many entries. After an error the caller need not read the rest
// of the form, which may be large.
func (f *Form) Add(name string, value io.Reader) error {
	var is issues
	field := f.table.field(name)
	if field == nil {
		is.cannotRead(transcript.IssueUnknown, name, "is not a field of this form")
		return is.err()
	}
	text, err := io.ReadAll(io.LimitReader(value, maxText+1))
	if err != nil {
		return err
	}
	switch {
	case len(text) > maxText:
		is.doesNotFit(name, faultf(transcript.IssueLength, "is longer than %d bytes", maxText))
	case len(f.values[name]) < field.variable.most():
		f.values[name] = append(f.values[name], string(text))
	case field.variable.most() == 1:
		is.cannotRead(transcript.IssueRepeated, name, "is there more than once")
	default:
		is.doesNotFit(name, faultf(transcript.IssueLength, "must have no more than %d entries", field.variable.most()))
	}
	return is.err()
}

// Check checks the fields so far, so that the caller need not read the rest of an invalid form.
// Missing fields are no error yet. The error is the same as that of Read.
func (f *Form) Check() error {
	var is issues
	f.table.takeTexts(f.values, &is)
	return is.err()
}

// Read reads the values of the fields after the last Add. A form's values are text, so a value
// of the wrong type gets the status 422 and not 400. The error is an INVALID_REQUEST like that
// of [Table.ReadJSON].
func (f *Form) Read() error {
	var is issues
	f.table.readTexts(f.values, &is)
	return is.err()
}
