// Package openapi describes the routes of the API as an OpenAPI document, with the words of the
// fields' comments and of words.json, and as a page for people.
package openapi

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// apiVersion is the version of the API, not of the program that serves it.
const apiVersion = "1.0.0"

// Document is the OpenAPI document as it is served.
type Document struct {
	Body []byte
	ETag string
}

// New describes the routes. The schemas come from the Go types by reflection. The same routes
// make the same bytes.
func New(routes []edge.Route, basePath string) (Document, error) {
	r := openapi31.NewReflector()
	r.Spec.Info.WithTitle("Transcript extraction").WithVersion(apiVersion).
		WithDescription("Turns public video and audio, and uploaded files, into timestamped transcripts. " +
			"An unknown path is answered with 404 and a wrong method with 405, both as FlatError.")
	r.Spec.Info.WithLicense(openapi31.License{Name: "MIT", Identifier: new("MIT")})
	r.Spec.WithServers(openapi31.Server{URL: cmp.Or(basePath, "/")})
	r.Spec.WithTags(tags()...)
	r.Spec.SetHTTPBearerTokenSecurity("bearerAuth", "tr_", "An API key. Use one method per request.")
	r.Spec.SetAPIKeySecurity("apiKeyHeader", "X-API-Key", openapi.InHeader, "The same API key in a header of its own.")
	r.Spec.WithSecurity(map[string][]string{"bearerAuth": {}}, map[string][]string{"apiKeyHeader": {}}) // of operations that are not open
	for name, h := range headers() {
		r.Spec.ComponentsEns().WithHeadersItem(string(name), openapi31.HeaderOrReference{Header: &h})
	}
	words, err := readTexts()
	if err != nil {
		return Document{}, fmt.Errorf("the texts: %w", err)
	}
	describeTypes(r.JSONSchemaReflector(), words)
	bodies, err := refusedIn(r)
	if err != nil {
		return Document{}, fmt.Errorf("refusals: %w", err)
	}
	for _, rt := range routes {
		if err := describe(r, rt, bodies); err != nil {
			return Document{}, fmt.Errorf("%s %s: %w", rt.Method, rt.Pattern, err)
		}
	}
	for _, rt := range routes {
		describeEnums(r.Spec.ComponentsEns(), rt) // the enums that no answer has described yet
	}
	words.describeOperations(r.Spec, routes)
	r.Spec.ComponentsEns().WithSchemasItem("Error", map[string]any{
		"description": "A refused request: an envelope, or the flat form for 401, 429 and failures of the framework.",
		"oneOf":       []any{map[string]any{"$ref": "#/components/schemas/ErrorEnvelope"}, map[string]any{"$ref": "#/components/schemas/FlatError"}},
	})
	r.Spec.ComponentsEns().WithSchemasItem("MultipartFile", map[string]any{
		"type": "string", "format": "binary", "contentMediaType": "application/octet-stream",
	})
	words.describeValues(r.Spec.ComponentsEns())
	share(r.Spec, routes)
	words.describeAnswers(r.Spec, routes)
	if err := describeWebhooks(r, words); err != nil {
		return Document{}, fmt.Errorf("webhooks: %w", err)
	}
	body, err := written(r.Spec)
	if err != nil {
		return Document{}, err
	}
	return Document{Body: body, ETag: fmt.Sprintf(`"%x"`, sha256.Sum256(body))[:19] + `"`}, nil
}

// oneLevel matches an object or list of lines on which every other object or list ends where it
// begins.
var oneLevel = regexp.MustCompile(`[\[{]\n(?:[^{}\[\]\n]*(?:[\[{][^{}\[\]\n]*[\]}][^{}\[\]\n]*)*\n)+? *[}\]]`)

// written is the document as JSON. A short object or list is on one line.
func written(spec *openapi31.Spec) ([]byte, error) {
	body, err := json.MarshalIndent(spec, "", " ")
	if err != nil {
		return nil, err
	}
	for range 3 { // from the inside out
		body = oneLevel.ReplaceAllFunc(body, onOneLine)
	}
	return append(body, '\n'), nil
}

func onOneLine(lines []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(lines) {
		line = bytes.TrimSpace(line)
		b.Write(line)
		if bytes.HasSuffix(line, []byte(",")) {
			b.WriteByte(' ')
		}
	}
	if b.Len() > 160 {
		return lines
	}
	return b.Bytes()
}
