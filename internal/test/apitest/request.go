package apitest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// checkRequest compares an accepted request with its operation.
func (d *Document) checkRequest(op place, path map[string]string, r *http.Request, body []byte) error {
	if err := d.checkParameters(op, path, r); err != nil {
		return err
	}
	if err := d.checkCredential(op, r.Header); err != nil {
		return err
	}
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if d.isFile(op, media) {
		return nil // any bytes, also none
	}
	if len(body) == 0 {
		if documented, _ := d.at(op, "requestBody"); documented.node["required"] == true {
			return errors.New("there is no body")
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("the Content-Type: %w", err)
	}
	form, ok := d.at(op, "requestBody", "content", media)
	if !ok {
		return fmt.Errorf("a body of the type %s is not documented", media)
	}
	var value any
	switch media {
	case "multipart/form-data":
		value, err = d.formValue(form, body, params["boundary"])
	case "text/csv", "text/x-opml", "text/vtt", "application/x-subrip", "text/x-sbv", "text/x-ssa", "text/plain":
		value = string(body)
	default:
		value, err = jsonschema.UnmarshalJSON(bytes.NewReader(body))
	}
	if err != nil {
		return fmt.Errorf("the body: %w", err)
	}
	if err := d.validate(form.pointer+"/schema", value); err != nil {
		return fmt.Errorf("the body: %w", err)
	}
	return nil
}

// isFile reports whether the operation takes a file as a body of the type.
func (d *Document) isFile(op place, media string) bool {
	kind, _, _ := strings.Cut(media, "/")
	for _, name := range []string{media, kind + "/*"} {
		if schema, ok := d.at(op, "requestBody", "content", name, "schema"); ok && schema.node["format"] == "binary" {
			return true
		}
	}
	return false
}

// checkCredential requires a credential if the operation needs one: an API key in either
// header, or the session of an embedder.
func (d *Document) checkCredential(op place, h http.Header) error {
	security, own := op.node["security"].([]any)
	if !own {
		security, _ = d.root["security"].([]any) // of all operations that say nothing else
	}
	if len(security) == 0 {
		return nil
	}
	for _, name := range []string{"Authorization", "X-Api-Key", "Cookie"} {
		if h.Get(name) != "" {
			return nil
		}
	}
	return errors.New("there is no credential")
}

func (d *Document) checkParameters(op place, path map[string]string, r *http.Request) error {
	all, _ := op.node["parameters"].([]any) // an operation may need none
	for i, v := range all {
		p := place{v.(map[string]any), fmt.Sprintf("%s/parameters/%d", op.pointer, i)}
		name, _ := p.node["name"].(string)
		var text string
		var there bool
		switch p.node["in"] {
		case "path":
			text, there = path[name]
		case "query":
			text, there = r.URL.Query().Get(name), r.URL.Query().Has(name)
		case "header":
			text, there = r.Header.Get(name), len(r.Header.Values(name)) > 0
		}
		if !there && p.node["required"] == true {
			return fmt.Errorf("the parameter %s is missing", name)
		}
		if !there {
			continue
		}
		value := d.typed(p, text)
		if slices.Contains(d.types(p), "array") { // a query repeats the parameter
			var all []any
			for _, text := range r.URL.Query()[name] {
				all = append(all, text)
			}
			value = all
		}
		if err := d.validate(p.pointer+"/schema", value); err != nil {
			return fmt.Errorf("the parameter %s: %w", name, err)
		}
	}
	return nil
}

// formValue converts a multipart body into the object that its schema describes.
func (d *Document) formValue(form place, body []byte, boundary string) (any, error) {
	schema, ok := d.at(form, "schema")
	if !ok {
		return nil, errors.New("the form has no schema")
	}
	value := map[string]any{}
	for parts := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return value, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		property, ok := d.at(schema, "properties", part.FormName())
		if !ok {
			return nil, fmt.Errorf("the field %s is not documented", part.FormName())
		}
		value[part.FormName()] = d.typed(property, string(content))
	}
}
