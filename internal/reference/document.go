package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// document is the part of an OpenAPI document that the pages show.
type document struct {
	Tags  []tag
	Paths map[string]map[string]*operation
	// Webhooks are the requests that the service sends, by their events and methods.
	Webhooks   map[string]map[string]*operation
	Components struct {
		Schemas    map[string]*schema
		Parameters map[string]parameter
		Responses  map[string]answer
	}

	operations []*operation      // in the order of the pages
	home       map[string]string // the page of a schema
}

type tag struct{ Name, Description string }

type operation struct {
	ID                   string `json:"operationId"`
	Summary, Description string
	Tags                 []string
	Scope                *string `json:"x-required-scope"` // nil means that no key is needed
	Parameters           []parameter
	RequestBody          struct{ Content map[string]media }
	Responses            map[string]answer
	Events               map[string]*schema `json:"x-events"`

	method, path string
	example      example
}

type parameter struct {
	Ref                   string `json:"$ref"` // a shared one
	Name, In, Description string
	Required              bool
	Schema                *schema
}

type media struct {
	Schema  *schema
	Example json.RawMessage
}

type answer struct {
	Ref     string `json:"$ref"` // a shared one
	Headers map[string]any
	Content map[string]media
	Codes   []string `json:"x-codes"`
}

// example is how the words of the document describe a call of an operation.
type example struct {
	Query, Curl, Status string // Curl has further arguments; Status is 200 if it is empty
	Request             json.RawMessage
	When                map[string]string
}

type schema struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Format, Description  string
	Enum                 []string
	Default              any
	MinLength, MaxLength *int
	Minimum, Maximum     *int
	Items                *schema
	OneOf, AnyOf         []*schema
	Properties           map[string]*schema
	Required             []string
	AdditionalProperties any // false in a request, otherwise the schema of the values
}

// methods are the methods in the order of a page.
var methods = []string{"POST", "GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"}

// read reads the document and the examples of a repository.
func read(repository string) (*document, error) {
	text, err := os.ReadFile(filepath.Join(repository, "server", "openapi.json"))
	if err != nil {
		return nil, err
	}
	d := &document{home: map[string]string{}}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	if text, err = os.ReadFile(filepath.Join(repository, "server", "internal", "openapi", "words.json")); err != nil {
		return nil, err
	}
	var words struct{ Operations map[string]example }
	if err := json.Unmarshal(text, &words); err != nil {
		return nil, err
	}
	for _, items := range []map[string]map[string]*operation{d.Paths, d.Webhooks} {
		for _, item := range items {
			for _, op := range item {
				d.resolve(op)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range methods {
			if op := d.Paths[path][strings.ToLower(method)]; op != nil {
				op.method, op.path, op.example = method, path, words.Operations[op.ID]
				d.operations = append(d.operations, op)
			}
		}
	}
	for _, tag := range d.Tags {
		for _, op := range d.of(tag) {
			d.settle(op, tag.Name+".md")
		}
	}
	return d, nil
}

// resolve puts the shared parameters and answers in the places that refer to them.
func (d *document) resolve(op *operation) {
	for i, p := range op.Parameters {
		if name, refers := strings.CutPrefix(p.Ref, "#/components/parameters/"); refers {
			op.Parameters[i] = d.Components.Parameters[name]
		}
	}
	for status, a := range op.Responses {
		if name, refers := strings.CutPrefix(a.Ref, "#/components/responses/"); refers {
			op.Responses[status] = d.Components.Responses[name]
		}
	}
}

// of returns the operations with a tag.
func (d *document) of(t tag) []*operation {
	return slices.DeleteFunc(slices.Clone(d.operations), func(op *operation) bool { return op.Tags[0] != t.Name })
}

// settle assigns each schema to the page of the first operation that uses it.
func (d *document) settle(op *operation, page string) {
	for _, m := range op.RequestBody.Content {
		d.settleSchema(m.Schema, page)
	}
	for _, p := range op.Parameters {
		d.settleSchema(p.Schema, page)
	}
	for _, s := range op.Events {
		d.settleSchema(s, page)
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		for _, m := range op.Responses[status].Content {
			if len(op.Responses[status].Codes) == 0 {
				d.settleSchema(m.Schema, page)
			}
		}
	}
}

// settleSchema does this for a schema and all schemas within.
func (d *document) settleSchema(s *schema, page string) {
	if s == nil {
		return
	}
	if name := nameOf(s); name != "" && d.home[name] == "" {
		d.home[name] = page
		if strings.HasPrefix(name, "Error") || name == "FlatError" {
			d.home[name] = errorsPage
		}
		d.settleSchema(d.Components.Schemas[name], page)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		d.settleSchema(s.Properties[name], page)
	}
	for _, inner := range append(append([]*schema{s.Items}, s.OneOf...), s.AnyOf...) {
		d.settleSchema(inner, page)
	}
}

// nameOf is the name of the schema to which a schema refers, or empty.
func nameOf(s *schema) string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// words is a schema as a page writes a type.
func (d *document) words(s *schema, page string) string {
	name := nameOf(s)
	switch {
	case len(s.Enum) > 0:
		return "`" + strings.Join(s.Enum, "`, `") + "`"
	case name == "MultipartFile", s.Format == "binary":
		return "file"
	case name != "" && len(d.Components.Schemas[name].OneOf) > 0 && d.Components.Schemas[name].Properties == nil:
		return d.choice(d.Components.Schemas[name].OneOf, page)
	case name != "" && d.home[name] == page:
		return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
	case name != "":
		return fmt.Sprintf("[%s](%s#%s)", name, d.home[name], strings.ToLower(name))
	case len(s.AnyOf) > 0:
		return d.choice(s.AnyOf, page)
	}
	if types, ok := s.Type.([]any); ok {
		plain := *s
		plain.Type = types[0]
		return d.words(&plain, page) + " or null"
	}
	word := fmt.Sprint(s.Type)
	if short := map[string]string{"uuid": "uuid", "uri": "uri", "date-time": "time"}[s.Format]; short != "" {
		word = short
	}
	switch values, _ := s.AdditionalProperties.(map[string]any); {
	case s.Items != nil:
		return "array of " + d.words(s.Items, page)
	case len(values) > 0:
		return fmt.Sprintf("object of %s", values["type"])
	case s.MaxLength != nil && s.MinLength != nil:
		return fmt.Sprintf("%s, %d–%d characters", word, *s.MinLength, *s.MaxLength)
	case s.Maximum != nil:
		return fmt.Sprintf("%s, %d–%d", word, *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("%s, at least %d", word, *s.Minimum)
	}
	return word
}

func (d *document) choice(all []*schema, page string) string {
	var words []string
	for _, s := range all {
		words = append(words, d.words(s, page))
	}
	return strings.Join(words, " or ")
}
