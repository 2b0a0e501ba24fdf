package mcp

import (
	"cmp"
	"encoding/json"
	"math"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
)

// schemaOf describes the arguments of a tool in few words, because a model reads the definitions
// of all tools with each of its answers. It leaves out the limits of texts, because a refusal
// names them. It also leaves out rules between fields, because some models do not accept such a
// schema.
func schemaOf(tool string, table request.Table) json.RawMessage {
	enums := map[string]any{}
	for _, e := range table.Enums() {
		enums["#/components/schemas/"+e.Name] = e.Values
	}
	properties := map[string]any{}
	var required []string
	for _, p := range table.Parameters() {
		properties[p.Name] = shortened(tool, p, enums)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	if len(table.OneOf) == 1 {
		required = append(required, table.OneOf[0]...)
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		s["required"] = required
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // never fails: of strings, numbers and booleans
	}
	return b
}

// lastPage is the limit of numbers whose limit is not worth mentioning.
const lastPage = math.MaxInt32

// shortened is the schema of a field with its type, its values, the limits of a number, and the
// description for a model.
func shortened(tool string, p request.Parameter, enums map[string]any) map[string]any {
	s := map[string]any{}
	for _, member := range []string{"type", "enum", "maximum", "items"} {
		if v, ok := p.Schema[member]; ok {
			s[member] = v
		}
	}
	if items, ok := s["items"].(request.Schema); ok {
		s["items"] = map[string]any{"type": items["type"]}
	}
	if ref, ok := p.Schema["$ref"].(string); ok {
		s["type"] = "string"
		if values, ok := enums[ref]; ok {
			s["enum"] = values
		}
	}
	if s["maximum"] == lastPage {
		delete(s, "maximum")
	}
	if about := cmp.Or(abouts[tool+"."+p.Name], abouts[p.Name]); about != "" {
		s["description"] = about
	}
	return s
}

// abouts are the descriptions for a model, of fields or of a tool's field, if the name does not
// say enough.
var abouts = map[string]string{
	"url":                     "A link, or an id of the video site.",
	"language":                "Tags by priority, as en,de; asr forces speech recognition.",
	"includeTimestamp":        "Each line begins with its time.",
	"externalId":              "The platform's id, as answers have it.",
	"lang":                    "An exact tag.",
	"get_chunks.language":     "An exact tag; else the newest.",
	"search_videos.channelId": "Only in this channel: an id or a link with it.",
	"channelId":               "An id, an @handle or a link.",
	"channel":                 "An id, an @handle or a link.",
	"playlistId":              "An id or a link.",
	"playlist":                "An id or a link.",
	"urls":                    "Links or ids.",
	"maxChars":                "Of a piece.",
	"overlapChars":            "Of the piece before.",
}
