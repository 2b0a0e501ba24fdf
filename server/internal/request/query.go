package request

import (
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ReadQuery reads the raw query of a URL. It ignores parameters of no field. The error is an
// INVALID_REQUEST with the status 400.
func (t Table) ReadQuery(raw string) error {
	var is issues
	values, err := url.ParseQuery(raw)
	if err != nil {
		is.cannotRead(transcript.IssueInvalid, "query", "is not well formed") // the well-formed parameters are still read
	}
	t.readTexts(values, &is)
	return is.errOutsideBody()
}

// RefuseQuery refuses a raw query with a parameter that is a field of the table. The table belongs
// to the body, so the parameter would be ignored. The error is an INVALID_REQUEST with the status
// 400.
func (t Table) RefuseQuery(raw string) error {
	var is issues
	values, _ := url.ParseQuery(raw) // as far as it can be read: who reads the query refuses the rest
	for _, f := range t.Fields {
		if values.Has(f.name) {
			is.cannotRead(transcript.IssueUnknown, f.name, "belongs in the body, and not in the query")
		}
	}
	return is.errOutsideBody()
}

// ReadHeader reads the header of a request. The names of the fields must be in the form of
// [http.CanonicalHeaderKey]. ReadHeader ignores other header fields. The error is an
// INVALID_REQUEST with the status 400.
func (t Table) ReadHeader(h http.Header) error {
	var is issues
	t.readTexts(h, &is)
	return is.errOutsideBody()
}

// ReadPath reads the wildcards of a path. value is [http.Request.PathValue]. ReadPath returns
// false if a value does not fit: then nothing has that path.
func (t Table) ReadPath(value func(name string) string) bool {
	values := map[string][]string{}
	for _, f := range t.Fields {
		values[f.name] = []string{value(f.name)}
	}
	var is issues
	t.readTexts(values, &is)
	return is.errOutsideBody() == nil
}

// readTexts reads texts by the names of their fields. A text of the wrong type counts as a
// value that does not fit.
func (t Table) readTexts(values map[string][]string, is *issues) {
	t.takeTexts(values, is)
	t.complete(is)
}

// takeTexts reads texts like readTexts, but permits missing fields because they may still
// arrive.
func (t Table) takeTexts(values map[string][]string, is *issues) {
	for _, f := range t.Fields {
		texts := values[f.name]
		if len(texts) == 0 {
			continue
		}
		f.sent = true
		switch {
		case len(texts) > 1 && f.variable.most() == 1:
			is.cannotRead(transcript.IssueRepeated, f.name, "is there more than once")
		case !allUTF8(texts):
			is.cannotRead(transcript.IssueInvalid, f.name, "is not UTF-8")
		default:
			f.variable.fromTexts(texts, report{to: is, path: f.name})
		}
	}
}

func allUTF8(texts []string) bool {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return false
		}
	}
	return true
}
