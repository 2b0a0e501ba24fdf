package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Document is an OpenAPI 3.1 document. It is safe for concurrent use.
type Document struct {
	root map[string]any

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by pointer
	seen     map[string]bool               // answers, by pointer
}

const resource = "openapi.json"

// Parse reads a document. Objects count as closed unless they say otherwise: an answer must not
// hold undocumented fields.
func Parse(body []byte) (*Document, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("the document is not JSON: %w", err)
	}
	root, ok := value.(map[string]any)
	if !ok || root["paths"] == nil {
		return nil, fmt.Errorf("the document has no paths")
	}
	inline(root)
	closeObjects(root)
	d := &Document{root: root, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}, seen: map[string]bool{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(resource, root); err != nil {
		return nil, fmt.Errorf("the document: %w", err)
	}
	return d, nil
}

// Inlined returns an OpenAPI document in which each operation contains its parameters and answers,
// instead of references to shared ones. Inlined is for tests that look at operations.
func Inlined(body []byte) ([]byte, error) {
	var root map[string]any
	if err := json.Unmarshal(body, &root); err != nil {
		return nil, err
	}
	inline(root)
	return json.Marshal(root)
}

// inline puts the shared parameters and answers in the places that refer to them.
func inline(root map[string]any) {
	shared := place{root, ""}
	target := func(node any) any {
		member, _ := node.(map[string]any)
		ref, _ := member["$ref"].(string)
		keys := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
		if found, ok := (*Document)(nil).at(shared, keys...); ok {
			return found.node
		}
		return node
	}
	paths, _ := root["paths"].(map[string]any)
	for _, item := range paths {
		item, _ := item.(map[string]any)
		for _, op := range item {
			op, _ := op.(map[string]any)
			parameters, _ := op["parameters"].([]any)
			for i := range parameters {
				parameters[i] = target(parameters[i])
			}
			answers, _ := op["responses"].(map[string]any)
			for status := range answers {
				answers[status] = target(answers[status])
			}
		}
	}
}

// closeObjects forbids properties that a schema does not name.
func closeObjects(node any) {
	switch node := node.(type) {
	case []any:
		for _, v := range node {
			closeObjects(v)
		}
	case map[string]any:
		if _, ok := node["properties"].(map[string]any); ok && node["additionalProperties"] == nil {
			node["additionalProperties"] = false
		}
		for _, v := range node {
			closeObjects(v)
		}
	}
}

// validate checks a JSON value against the schema at the pointer.
func (d *Document) validate(pointer string, value any) error {
	schema, err := d.schema(pointer)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// schema returns the compiled schema at a pointer, and compiles it once.
func (d *Document) schema(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, ok := d.compiled[pointer]; ok {
		return s, nil
	}
	s, err := d.compiler.Compile(resource + "#" + pointer)
	if err != nil {
		return nil, fmt.Errorf("the schema at %s: %w", pointer, err)
	}
	d.compiled[pointer] = s
	return s, nil
}

// place is a node of the document and its pointer.
type place struct {
	node    map[string]any
	pointer string
}

// at returns the node at the keys below p and follows references. It reports false if there is
// no such node.
func (d *Document) at(p place, keys ...string) (place, bool) {
	for _, key := range keys {
		child, ok := p.node[key].(map[string]any)
		if !ok {
			return place{}, false
		}
		p = place{child, p.pointer + "/" + escaped.Replace(key)}
		if ref, ok := child["$ref"].(string); ok {
			target := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
			if p, ok = d.at(place{d.root, ""}, target...); !ok {
				return place{}, false
			}
		}
	}
	return p, true
}

// escaped escapes a key for a pointer.
var escaped = strings.NewReplacer("~", "~0", "/", "~1", "%", "%25", "{", "%7B", "}", "%7D")

// base returns the path under which the API is mounted.
func (d *Document) base() string {
	servers, _ := d.root["servers"].([]any)
	if len(servers) == 0 {
		return ""
	}
	base, _ := servers[0].(map[string]any)["url"].(string)
	return strings.TrimSuffix(base, "/")
}

// covers reports whether a path belongs to the API rather than to the site around it.
func (d *Document) covers(path string) bool { return strings.HasPrefix(path, d.base()+"/") }

// operation finds the documented operation of a method and a path, and the values of the path's
// parameters. If two patterns match, the one with fewer parameters wins.
func (d *Document) operation(method, path string) (op place, parameters map[string]string, ok bool) {
	path = strings.TrimPrefix(path, d.base())
	paths, _ := d.at(place{d.root, ""}, "paths")
	var found string
	for pattern := range paths.node {
		if values, ok := match(pattern, path); ok && (found == "" || len(values) < len(parameters)) {
			found, parameters = pattern, values
		}
	}
	if found == "" {
		return d.formerly(method, path)
	}
	op, ok = d.at(paths, found, strings.ToLower(method))
	if ok || method != http.MethodHead {
		return op, parameters, ok
	}
	if op, ok = d.at(paths, found, "get"); op.node["x-events"] != nil {
		return place{}, nil, false // an event stream does not exist without a body
	}
	return op, parameters, ok
}

// formerly finds the operation of a method whose earlier path, which continues answering, is the
// path.
func (d *Document) formerly(method, path string) (op place, parameters map[string]string, ok bool) {
	paths, _ := d.at(place{d.root, ""}, "paths")
	for pattern := range paths.node {
		op, ok = d.at(paths, pattern, strings.ToLower(method))
		earlier, moved := op.node["x-formerly"].(string)
		if parameters, matches := match(earlier, path); ok && moved && matches {
			return op, parameters, true
		}
	}
	return place{}, nil, false
}

// match reports whether the path matches the pattern, as in /job/{id}.
func match(pattern, path string) (map[string]string, bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	parameters := map[string]string{}
	for i, segment := range want {
		if name, ok := strings.CutPrefix(segment, "{"); ok && have[i] != "" {
			parameters[strings.TrimSuffix(name, "}")] = have[i]
		} else if segment != have[i] {
			return nil, false
		}
	}
	return parameters, true
}
