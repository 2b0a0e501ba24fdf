package request

import "slices"

// Schema is a JSON schema for the OpenAPI document.
type Schema = map[string]any

// Parameter describes a field outside of a body for the document.
type Parameter struct {
	Name, About string
	Required    bool
	Schema      Schema
}

// Schema returns the schema of a body, which is a closed object.
func (t Table) Schema() Schema {
	properties := Schema{}
	var required []string
	for _, f := range t.Fields {
		properties[f.name] = f.describe()
		if f.required {
			required = append(required, f.name)
		}
	}
	s := Schema{"type": "object", "additionalProperties": false, "properties": properties}
	if required != nil {
		s["required"] = required
	}
	if t.OneOf != nil {
		var sets []Schema
		for _, set := range t.OneOf {
			alone := Schema{"required": set}
			if others := t.exclusions(set); others != nil {
				alone["not"] = Schema{"anyOf": others}
			}
			sets = append(sets, alone)
		}
		s["oneOf"] = sets
	}
	return s
}

// exclusions returns one schema for each field of the other sets. The schema requires the
// field, and the caller negates the schema. exclusions returns nil if each set has a single
// field, because oneOf alone then excludes the other sets.
func (t Table) exclusions(set []string) (others []Schema) {
	if !slices.ContainsFunc(t.OneOf, func(s []string) bool { return len(s) > 1 }) {
		return nil
	}
	for _, other := range slices.Concat(t.OneOf...) {
		if !slices.Contains(set, other) {
			others = append(others, Schema{"required": []string{other}})
		}
	}
	return others
}

// Parameters describes the fields of a query, a path or a header, in the table's order.
func (t Table) Parameters() []Parameter {
	var all []Parameter
	for _, f := range t.Fields {
		all = append(all, Parameter{Name: f.name, About: f.about, Required: f.required, Schema: f.describe()})
	}
	return all
}

// Enums returns the schemas of the enums to which the table's fields refer.
func (t Table) Enums() []EnumSchema {
	var all []EnumSchema
	for _, f := range t.Fields {
		if f.enum != nil {
			all = append(all, *f.enum)
		}
	}
	return all
}

func (f *Field) describe() Schema {
	s := f.variable.schema()
	if f.about != "" {
		s["description"] = f.about
	}
	switch {
	case f.shown != nil:
		s["default"] = f.shown
	case f.fills:
		s["default"] = f.variable.initial()
	}
	return s
}
