package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ReadJSON reads a body that must be exactly one JSON object. It refuses a name of no field, a
// repeated name, null, and a value of another type than the field's. Names are case-sensitive.
// The error is an INVALID_REQUEST. The status is 400 if any part cannot be read, and 422 if
// only values do not fit.
func (t Table) ReadJSON(body []byte) error {
	var is issues
	if t.readObject(body, &is) {
		t.complete(&is)
	}
	return is.err()
}

// readObject reports whether the body is one JSON object and its faults leave room for more.
func (t Table) readObject(body []byte, is *issues) bool {
	broken := func(what string) bool {
		is.cannotRead(transcript.IssueInvalid, "body", "%s", what)
		return false
	}
	if !utf8.Valid(body) {
		return broken("is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if start, err := dec.Token(); errors.Is(err, io.EOF) {
		is.cannotRead(transcript.IssueMissing, "body", "is missing: send a JSON object")
		return false
	} else if err != nil || start != json.Delim('{') {
		return broken("is not a JSON object")
	}
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return broken("is not valid JSON")
		}
		t.readMember(name.(string), value, is) // the decoder accepts only strings as names
		if is.full() {
			return false // further faults would not be shown
		}
	}
	if _, err := dec.Token(); err != nil {
		return broken("is not valid JSON")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return broken("goes on after the JSON object")
	}
	return true
}

func (t Table) readMember(name string, value json.RawMessage, is *issues) {
	f := t.field(name)
	switch {
	case f == nil:
		is.cannotRead(transcript.IssueUnknown, name, "is not a property of this request")
	case f.sent:
		is.cannotRead(transcript.IssueRepeated, name, "is there more than once")
	default:
		f.sent = true
		f.variable.fromJSON(value, report{to: is, path: name, json: true})
	}
}
