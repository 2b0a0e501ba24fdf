package request_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Requests that mean the same have the same canonical form, however they came.
func TestCanonical(t *testing.T) {
	t.Parallel()
	want := map[string]any{"url": "x", "format": "json", "times": true, "loud": false, "waitMs": 2000}
	for name, read := range map[string]func(request.Table) error{
		"nothing more": func(t request.Table) error { return t.ReadJSON([]byte(`{"url":"x"}`)) },
		"the defaults": func(t request.Table) error {
			return t.ReadJSON([]byte(`{"waitMs":2e3, "loud":false, "times":true, "format":"json", "url":"\u0078"}`))
		},
		"a query": func(t request.Table) error { return t.ReadQuery("loud=false&url=x&other=1") },
	} {
		table := new(order).table()
		require.NoError(t, read(table), name)
		assert.Equal(t, want, table.Canonical(), name)
	}
	table := new(order).table()
	require.NoError(t, table.ReadJSON([]byte(`{"links":["b","a"],"ids":["`+id+`"],"page":0,"language":"EN,asr-de","times":false,"waitMs":1}`)))
	assert.Equal(t, map[string]any{
		"links": []any{"b", "a"}, "ids": []any{id}, "page": 0, "language": "en,asr-de", "times": false, "waitMs": 1, "format": "json", "loud": false,
	}, table.Canonical())
}

func TestWithoutDefaults(t *testing.T) {
	t.Parallel()
	o := order{format: transcript.Text, bare: true}
	table := o.table()
	request.WithoutDefaults(table.Fields)
	require.NoError(t, table.ReadQuery("url=x&times=true"))
	assert.Equal(t, order{url: "x", format: transcript.Text}, o, "what was not sent stays")
	assert.Equal(t, map[string]any{"url": "x", "times": true}, table.Canonical())
	for _, p := range table.Parameters() {
		assert.NotContains(t, p.Schema, "default", p.Name)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	table := new(order).table()
	table.Fields = append(table.Fields, request.File("file"))
	schema, err := json.Marshal(table.Schema())
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"type": "object",
		"additionalProperties": false,
		"required": ["file"],
		"oneOf": [
			{"required": ["url"], "not": {"anyOf": [{"required": ["platform"]}, {"required": ["id"]}, {"required": ["links"]}]}},
			{"required": ["platform", "id"], "not": {"anyOf": [{"required": ["url"]}, {"required": ["links"]}]}},
			{"required": ["links"], "not": {"anyOf": [{"required": ["url"]}, {"required": ["platform"]}, {"required": ["id"]}]}}
		],
		"properties": {
			"url": {"type": "string", "minLength": 1, "maxLength": 20, "description": "A link."},
			"platform": {"$ref": "#/components/schemas/Platform", "enum": ["video_site", "photo_site"]},
			"id": {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[ -~]+$"},
			"language": {"type": "string", "minLength": 1, "maxLength": 200, "default": "en"},
			"format": {"$ref": "#/components/schemas/Format", "default": "json"},
			"times": {"type": "boolean", "default": true},
			"loud": {"type": "boolean", "default": false},
			"waitMs": {"type": "integer", "minimum": 0, "maximum": 10000, "default": 2000},
			"page": {"type": "integer", "minimum": -3, "maximum": 1000},
			"links": {"type": "array", "minItems": 1, "maxItems": 4, "items": {"type": "string", "minLength": 1, "maxLength": 10}},
			"ids": {"type": "array", "minItems": 1, "maxItems": 30, "items": {"type": "string", "format": "uuid"}},
			"file": {"$ref": "#/components/schemas/MultipartFile"}
		}
	}`, string(schema))
}

func TestParameters(t *testing.T) {
	t.Parallel()
	var words string
	var page int
	table := request.Table{Fields: []*request.Field{
		request.New("q", &words, request.Text(0, 0)).Required().About("What to look for."),
		request.New("page", &page, request.Integer(1, 9).Default(1)),
	}}
	assert.Equal(t, []request.Parameter{
		{Name: "q", About: "What to look for.", Required: true, Schema: request.Schema{"type": "string", "description": "What to look for."}},
		{Name: "page", Schema: request.Schema{"type": "integer", "minimum": 1, "maximum": 9, "default": 1}},
	}, table.Parameters())
	assert.Zero(t, page, "a table that only describes sets nothing")
}
