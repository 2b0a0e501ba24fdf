package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
)

// describeEnums adds the schemas of strings to which the tables of a route refer.
func describeEnums(c *openapi31.Components, rt edge.Route) {
	for _, table := range []request.Table{rt.Path, rt.Query, rt.Header, rt.Body, rt.Form} {
		for _, enum := range table.Enums() {
			if _, there := c.Schemas[enum.Name]; !there {
				c.WithSchemasItem(enum.Name, map[string]any{"type": "string", "enum": enum.Values})
			}
		}
	}
}

// describeValues lists the meanings of the values of a string type.
func (t texts) describeValues(c *openapi31.Components) {
	for name, values := range t.Values {
		schema, ok := c.Schemas[name]
		if !ok {
			continue
		}
		var lines []string
		for _, value := range slices.Sorted(maps.Keys(values)) {
			lines = append(lines, fmt.Sprintf("- `%s`: %s", value, values[value]))
		}
		schema["description"] = strings.Join(lines, "\n")
	}
}
