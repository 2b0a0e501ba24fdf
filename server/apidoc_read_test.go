package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/apitest"
)

// apiDoc is API.md, taken apart at its headings.
type apiDoc struct {
	text  string
	parts []docPart
}

// docPart is a heading with what stands under it, up to the next heading.
type docPart struct {
	level          int    // 2 for ##, and so on
	section, title string // section is the title of the ## around it
	text           string
}

func readAPIDoc(t *testing.T) (d apiDoc) {
	t.Helper()
	b, err := os.ReadFile("API.md")
	require.NoError(t, err)
	d.text = string(b)
	var section string
	fenced := false
	for line := range strings.Lines(d.text) {
		fenced = fenced != strings.HasPrefix(line, "```")
		marks, title, found := strings.Cut(strings.TrimSpace(line), " ")
		if !fenced && found && strings.Trim(marks, "#") == "" && marks != "" {
			if len(marks) == 2 {
				section = title
			}
			d.parts = append(d.parts, docPart{level: len(marks), section: section, title: title})
			continue
		}
		d.parts[len(d.parts)-1].text += line
	}
	return d
}

// at returns the parts of a level by their titles, each of which stands once.
func (d apiDoc) at(t *testing.T, level int) map[string]docPart {
	t.Helper()
	found := map[string]docPart{}
	for _, p := range d.parts {
		if p.level == level {
			assert.NotContains(t, found, p.title, "a heading stands twice")
			found[p.title] = p
		}
	}
	return found
}

// table returns the rows of the table that begins with a column of this name, and
// whether there is one.
func (p docPart) table(column string) (rows [][]string, found bool) {
	for line := range strings.Lines(p.text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "|"):
			if found {
				return rows, true
			}
		case found && strings.Trim(cells[0], "-") != "":
			rows = append(rows, cells)
		case !found:
			found = cells[0] == column
		}
	}
	return rows, found
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

// words is the schema as API.md writes a type.
func (s apiSchema) words() string {
	switch {
	case len(s.Enum) > 0:
		return "`" + strings.Join(s.Enum, "`, `") + "`"
	case strings.HasSuffix(s.Ref, "/MultipartFile"), s.Format == "binary":
		return "file"
	case strings.HasSuffix(s.Ref, "/TranscriptOrText"):
		return "[Transcript](#transcript) or string"
	case s.Ref != "":
		return link(s.Ref)
	case len(s.AnyOf) > 0:
		return s.AnyOf[0].words() + " or null"
	}
	if types, ok := s.Type.([]any); ok {
		s.Type = types[0]
		return s.words() + " or null"
	}
	word := fmt.Sprint(s.Type)
	if short := map[string]string{"uuid": "uuid", "uri": "uri", "date-time": "time"}[s.Format]; short != "" {
		word = short
	}
	values, ofStrings := s.AdditionalProperties.(map[string]any)
	switch {
	case s.Items != nil:
		return "array of " + s.Items.words()
	case ofStrings && len(values) > 0:
		return fmt.Sprintf("object of %s", values["type"])
	case s.MaxLength != nil:
		return fmt.Sprintf("%s, %d–%d characters", word, *s.MinLength, *s.MaxLength)
	case s.Maximum != nil:
		return fmt.Sprintf("%s, %d–%d", word, *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("%s, at least %d", word, *s.Minimum)
	}
	return word
}

// link is how API.md refers to a schema.
func link(ref string) string {
	name := ref[strings.LastIndex(ref, "/")+1:]
	return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
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
