package request

import "slices"

// Schema is a JSON schema of the OpenAPI document.
type Schema = map[string]any

// Parameter is a field as the document shows it outside of a body.
type Parameter struct {
	Name, About string
	Required    bool
	Schema      Schema
}

// Schema describes a body: a closed object.
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

// exclusions requires, one by one, the fields that exclude the fields of a set. It returns
// nil if each set is a single field: then a schema that takes exactly one set says the
// same.
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

// Parameters describes the fields of a query, a path or a header, in their order.
func (t Table) Parameters() []Parameter {
	var all []Parameter
	for _, f := range t.Fields {
		all = append(all, Parameter{Name: f.name, About: f.about, Required: f.required, Schema: f.describe()})
	}
	return all
}

// Enums are the schemas to which fields of the table refer.
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
