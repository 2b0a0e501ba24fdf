package request

import (
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Table lists the fields of a request and the rules between them. The zero value is a request
// without fields.
type Table struct {
	// Name is the name of the body's schema in the document. Only a body needs a name.
	Name   string
	Fields []*Field
	// OneOf holds sets of field names. A request must have all names of exactly one set. If
	// OneOf is nil, there is no such rule.
	OneOf [][]string
}

// Reset makes the table ready to read another request. The caller resets the variables.
func (t Table) Reset() {
	for _, f := range t.Fields {
		f.sent = false
	}
}

// Only returns the table with the named fields alone, and with the rules that they can keep.
func (t Table) Only(names ...string) Table {
	kept := Table{Name: t.Name}
	for _, f := range t.Fields {
		if slices.Contains(names, f.name) {
			kept.Fields = append(kept.Fields, f)
		}
	}
	for _, set := range t.OneOf {
		if !slices.ContainsFunc(set, func(name string) bool { return !slices.Contains(names, name) }) {
			kept.OneOf = append(kept.OneOf, set)
		}
	}
	return kept
}

// field returns the field with the name, or nil.
func (t Table) field(name string) *Field {
	for _, f := range t.Fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// Canonical returns the meaning of a request after Read, with the defaults filled in. Two
// requests with the same meaning have equal Canonical values. The order and the notation of
// the fields do not matter. The values are strings, numbers, booleans, and slices of them.
func (t Table) Canonical() map[string]any {
	c := map[string]any{}
	for _, f := range t.Fields {
		if f.sent || f.fills {
			c[f.name] = f.variable.plain()
		}
	}
	return c
}

// complete sets the defaults and finds missing fields. Call it after the last field was read.
func (t Table) complete(is *issues) {
	for _, f := range t.Fields {
		switch {
		case f.sent:
		case f.fills:
			f.variable.fill()
		case f.required && f.variable != file{}: // the handler reads files itself
			is.cannotRead(transcript.IssueMissing, f.name, "is missing")
		}
	}
	if t.OneOf != nil && len(is.unreadable) == 0 { // a field that cannot be read is not missing
		t.checkOneOf(is)
	}
}

// checkOneOf finds the set that has a field in the request, and reports the set's missing
// fields. It also reports a request with fields of several sets or of none.
func (t Table) checkOneOf(is *issues) {
	sent := func(name string) bool { return t.field(name).sent }
	var begun [][]string
	for _, set := range t.OneOf {
		if slices.ContainsFunc(set, sent) {
			begun = append(begun, set)
		}
	}
	switch {
	case len(begun) == 0:
		is.cannotRead(transcript.IssueMissing, t.OneOf[0][0], "is missing: send %s", join(t.OneOf, ", or ", " with "))
	case len(begun) > 1:
		is.cannotRead(transcript.IssueConflict, begun[0][0], "must not be sent together with %s", join(begun[1:], " or ", " or "))
	default:
		for _, name := range begun[0] {
			f := t.field(name)
			if !f.sent && (f.needless == nil || !f.needless()) {
				others := slices.DeleteFunc(slices.Clone(begun[0]), func(n string) bool { return !sent(n) })
				is.cannotRead(transcript.IssueMissing, name, "is required together with %s", join([][]string{others}, "", " and "))
			}
		}
	}
}

// join quotes the names of the sets. It puts or between two sets, and and between two names of
// a set.
func join(sets [][]string, or, and string) string {
	var all []string
	for _, set := range sets {
		all = append(all, quoted(set, and))
	}
	return strings.Join(all, or)
}
