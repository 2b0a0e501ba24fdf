package server_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/apitest"
)

// apiSchema is a schema of openapi.json.
type apiSchema struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Format, Description  string
	Enum                 []string
	Default              any
	MinLength, MaxLength *int
	Minimum, Maximum     *int
	MinItems, MaxItems   *int
	Items                *apiSchema
	OneOf, AnyOf         []apiSchema
	Properties           map[string]apiSchema
	Required             []string
	AdditionalProperties any // false, or the schema of the values
	MaxProperties        *int
	PropertyNames        *apiSchema
}

type apiParameter struct {
	Name, In string
	Required bool
	Schema   apiSchema
}

type apiOperation struct {
	ID          string `json:"operationId"`
	Tags        []string
	Scope       *string `json:"x-required-scope"`
	Parameters  []apiParameter
	RequestBody struct {
		Content map[string]struct{ Schema apiSchema }
	}
	Responses map[string]struct {
		Headers map[string]any
		Codes   []string `json:"x-codes"`
		Content map[string]struct{ Schema apiSchema }
	}
	Events map[string]apiSchema `json:"x-events"`
}

// apiFile is openapi.json.
type apiFile struct {
	Paths      map[string]map[string]apiOperation
	Components struct{ Schemas map[string]apiSchema }
}

func readAPIFile(t *testing.T) (f apiFile) {
	t.Helper()
	b, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	whole, err := apitest.Inlined(b)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(whole, &f))
	return f
}

// operations by "METHOD /path".
func (f apiFile) operations() map[string]apiOperation {
	all := map[string]apiOperation{}
	for path, methods := range f.Paths {
		for method, op := range methods {
			all[strings.ToUpper(method)+" "+path] = op
		}
	}
	return all
}

var quoted = regexp.MustCompile("`([^`]+)`")

// backticked is what stands in backticks.
func backticked(text string) []string {
	found := []string{}
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}
