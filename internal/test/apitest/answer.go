package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// flat is the schema of refusals of unknown paths and wrong methods.
const flat = "/components/schemas/FlatError"

// checkAnswer compares a whole answer with its operation. If known is false, the path or the
// method is unknown.
func (d *Document) checkAnswer(op place, known bool, resp *http.Response, body []byte) error {
	id := resp.Header.Get("X-Request-Id")
	if id == "" {
		return errors.New("there is no X-Request-Id")
	}
	if !known {
		if strings.Contains(resp.Request.URL.Path, "/docs/") && resp.Header.Get("Content-Type") == "text/html; charset=utf-8" {
			return nil // a page for people
		}
		if resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusMethodNotAllowed {
			return errors.New("the operation is not documented")
		}
		if resp.Request.Method == http.MethodHead {
			return nil
		}
		return d.checkBody(flat, resp, body)
	}
	if err := d.checkHead(op, resp); err != nil {
		return err
	}
	content, ok := d.at(op, "responses", strconv.Itoa(resp.StatusCode), "content")
	switch {
	case resp.Request.Method == http.MethodHead:
		return nil
	case !ok && len(body) > 0:
		return fmt.Errorf("there is a body, which is not documented: %.200s", body)
	case !ok:
		return nil
	}
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("the Content-Type: %w", err)
	}
	form, ok := d.at(content, media)
	if !ok { // a range of types
		kind, _, _ := strings.Cut(media, "/")
		form, ok = d.at(content, kind+"/*")
	}
	if !ok {
		return fmt.Errorf("the Content-Type %s is not documented", media)
	}
	if media != "application/json" { // a file has no further documentation
		return d.validate(form.pointer+"/schema", string(body))
	}
	if err := d.checkBody(form.pointer+"/schema", resp, body); err != nil {
		return err
	}
	answer, _ := d.at(op, "responses", strconv.Itoa(resp.StatusCode)) // it has content
	return checkCode(answer, body)
}

// checkCode compares an error's code, or its slug, with the codes of its answer.
func checkCode(answer place, body []byte) error {
	codes, ok := answer.node["x-codes"].([]any)
	if !ok {
		return nil
	}
	var refusal struct{ Error json.RawMessage }
	var coded struct{ Code string }
	if err := json.Unmarshal(body, &refusal); err != nil {
		return fmt.Errorf("the error: %w", err)
	}
	if json.Unmarshal(refusal.Error, &coded.Code) != nil {
		if err := json.Unmarshal(refusal.Error, &coded); err != nil {
			return fmt.Errorf("the error: %w", err)
		}
	}
	if !slices.Contains(codes, any(coded.Code)) {
		return fmt.Errorf("the code %s is not documented here, only %v", coded.Code, codes)
	}
	return nil
}

// checkHead compares the status and the headers with the operation.
func (d *Document) checkHead(op place, resp *http.Response) error {
	answer, ok := d.at(op, "responses", strconv.Itoa(resp.StatusCode))
	if !ok {
		return errors.New("the status is not documented")
	}
	d.see(op, resp.StatusCode)
	headers, _ := d.at(answer, "headers") // an answer may have none
	documented := map[string]bool{}
	for name := range headers.node {
		documented[http.CanonicalHeaderKey(name)] = true
		if err := d.checkHeader(headers, name, resp.Header.Get(name)); err != nil {
			return fmt.Errorf("the header %s: %w", name, err)
		}
	}
	for _, name := range []string{"Location", "Etag", "Retry-After", "Content-Disposition", "Idempotency-Replayed", "Www-Authenticate"} {
		if resp.Header.Get(name) != "" && !documented[name] {
			return fmt.Errorf("the header %s is not documented", name)
		}
	}
	return nil
}

func (d *Document) checkHeader(headers place, name, value string) error {
	header, ok := d.at(headers, name)
	switch {
	case !ok:
		return errors.New("is a reference to a missing part of the document")
	case value == "" && header.node["required"] == true:
		return errors.New("is missing")
	case value == "":
		return nil
	}
	return d.validate(header.pointer+"/schema", d.typed(header, value))
}

func (d *Document) checkBody(pointer string, resp *http.Response, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w: %.200s", err, body)
	}
	if err := d.validate(pointer, value); err != nil {
		return fmt.Errorf("the body: %w: %.500s", err, body)
	}
	if resp.StatusCode < http.StatusBadRequest {
		return nil
	}
	return checkRequestID(value, resp.Header.Get("X-Request-Id"))
}

// checkRequestID compares the request id in an error of either form.
func checkRequestID(body any, id string) error {
	object, _ := body.(map[string]any)
	if inner, ok := object["error"].(map[string]any); ok {
		object = inner
	}
	if _, isError := object["error"]; !isError && object["code"] == nil {
		return nil // not an error's body: /readyz
	}
	if object["requestId"] != id {
		return fmt.Errorf("the error names the request %v, the header %s", object["requestId"], id)
	}
	return nil
}

// typed converts a text from a header, path, query or form into the value that the schema
// wants: values other than strings are written as in JSON.
func (d *Document) typed(p place, text string) any {
	types := d.types(p)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return text
	}
	switch value.(type) {
	case bool:
		if slices.Contains(types, "boolean") {
			return value
		}
	case json.Number:
		if slices.Contains(types, "integer") || slices.Contains(types, "number") {
			return value
		}
	}
	return text
}

// types returns the types of a node's schema.
func (d *Document) types(p place) (types []string) {
	schema, ok := d.at(p, "schema")
	if !ok {
		schema = p
	}
	switch t := schema.node["type"].(type) {
	case string:
		return []string{t}
	case []any:
		for _, v := range t {
			if s, ok := v.(string); ok {
				types = append(types, s)
			}
		}
	}
	return types
}
