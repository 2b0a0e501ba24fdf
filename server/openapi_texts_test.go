package server_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// commented are the packages whose fields the document shows.
var commented = []string{"../transcript", "../transcript/format", "../transcript/video", "../batch", "../library", "../library/follow", "../library/webhook", "../internal/wire", "internal/edge", "internal/openapi", "internal/api", "internal/api/*"}

// The document shows the comments of the fields. After a change: go generate ./server
func TestTextsAreCheckedIn(t *testing.T) {
	t.Parallel()
	texts := map[string]any{"Properties": fieldComments(t)}
	var b bytes.Buffer
	encode := json.NewEncoder(&b)
	encode.SetEscapeHTML(false)
	encode.SetIndent("", "  ")
	require.NoError(t, encode.Encode(texts))
	if *update {
		require.NoError(t, os.WriteFile("internal/openapi/texts.json", b.Bytes(), 0o644))
	}
	checkedIn, err := os.ReadFile("internal/openapi/texts.json")
	require.NoError(t, err)
	require.Equal(t, string(checkedIn), b.String(), "go generate ./server writes it anew")
}

// fieldComments are the comments of all fields that JSON shows, by type and property.
func fieldComments(t *testing.T) map[string]map[string]string {
	t.Helper()
	all, embedded := map[string]map[string]string{}, map[string]string{}
	for _, dir := range commented {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				s, ok := spec.Type.(*ast.StructType)
				if !ok || !spec.Name.IsExported() {
					return true
				}
				name := file.Name.Name + "." + spec.Name.Name
				if properties := propertyTexts(s); len(properties) > 0 {
					all[name] = properties
				}
				for _, f := range s.Fields.List {
					if other, ok := f.Type.(*ast.Ident); ok && f.Names == nil {
						embedded[name] = file.Name.Name + "." + other.Name
					}
				}
				return true
			})
		}
	}
	for outer, inner := range embedded {
		for property, text := range all[inner] {
			if all[outer] != nil && all[outer][property] == "" {
				all[outer][property] = text
			}
		}
	}
	return all
}

// field is a field that JSON shows.
type jsonField struct {
	name, property string
	omitted        bool // where it is empty
	comment        string
}

// propertyTexts turns the comments of a struct's fields into what they say of the
// properties. A field without a comment has that of one before it which names it.
func propertyTexts(s *ast.StructType) map[string]string {
	var fields []jsonField
	for _, f := range s.Fields.List {
		if f.Tag == nil || len(f.Names) != 1 {
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value) // it compiles
		property, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if property == "" || property == "-" {
			continue
		}
		comment := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
		fields = append(fields, jsonField{f.Names[0].Name, property, strings.HasPrefix(options, "omit"), comment})
	}
	texts := map[string]string{}
	for i, f := range fields {
		for before := i - 1; f.comment == "" && before >= 0; before-- {
			if regexp.MustCompile(`\b` + f.name + `\b`).MatchString(fields[before].comment) {
				f.comment = fields[before].comment
			}
		}
		if f.comment != "" {
			texts[f.property] = f.text(fields)
		}
	}
	return texts
}

// text is the comment in the words of JSON: properties by their names, null or absent
// for nil, and whole sentences, of which those that lead to other Go code are left out.
func (f jsonField) text(all []jsonField) string {
	text := strings.TrimSpace(regexp.MustCompile(`[^.]*\[[A-Z][\w.]*\]\.`).ReplaceAllString(f.comment, "")) // leads to other Go code
	for _, other := range all {
		text = regexp.MustCompile(`\b`+other.name+`\b`).ReplaceAllString(text, "`"+other.property+"`")
	}
	nothing := "null"
	if f.omitted {
		nothing = "absent"
		text = regexp.MustCompile(`\bempty\b`).ReplaceAllString(text, nothing)
	}
	text = regexp.MustCompile(`\bnil\b`).ReplaceAllString(text, nothing)
	first, size := utf8.DecodeRuneInString(text)
	return strings.TrimSuffix(string(unicode.ToUpper(first))+text[size:], ".") + "."
}

// The words are of operations, statuses and values that the document has, and it has words for each
// operation and for each value.
func TestWordsAreOfTheDocument(t *testing.T) {
	t.Parallel()
	var words struct {
		Operations map[string]struct{ When map[string]string }
		Values     map[string]map[string]string
	}
	text, err := os.ReadFile("internal/openapi/words.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &words))
	file := readAPIFile(t)
	for _, op := range file.operations() {
		assert.Contains(t, words.Operations, op.ID)
		for status := range words.Operations[op.ID].When {
			assert.Contains(t, op.Responses, status, op.ID)
		}
		delete(words.Operations, op.ID)
	}
	assert.Empty(t, words.Operations)
	for name, s := range file.Components.Schemas {
		if len(s.Enum) == 0 || name == "ErrorCode" { // the codes explain themselves
			continue
		}
		assert.ElementsMatch(t, s.Enum, slices.Collect(maps.Keys(words.Values[name])), name)
		delete(words.Values, name)
	}
	assert.Empty(t, words.Values)
}

// What the document says in words is there for everything that it names: operations,
// their answers, parameters and tags, and every property of every schema.
func TestDocumentDescribesEverything(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var d map[string]any
	require.NoError(t, json.Unmarshal(body, &d))
	properties := 0
	var walk func(path string, node any)
	walk = func(path string, node any) {
		switch node := node.(type) {
		case []any:
			for i, v := range node {
				walk(path+"/"+strconv.Itoa(i), v)
			}
		case map[string]any:
			of, isSchema := node["properties"].(map[string]any)
			for name := range of {
				properties++
				property, _ := of[name].(map[string]any)
				text, _ := property["description"].(string)
				assert.Regexp(t, `^\S.*[.:)]$`, text, "%s has no text for %s", path, name)
				assert.NotRegexp(t, `\bnil\b`, text, "%s/%s", path, name)
			}
			if _, ok := node["in"]; ok && node["type"] == nil || node["operationId"] != nil {
				assert.NotEmpty(t, node["description"], path)
			}
			for name, v := range node {
				if isSchema && name == "properties" {
					for property, schema := range of {
						walk(path+"/properties/"+property, schema)
					}
					continue
				}
				if name != "example" && name != "examples" {
					walk(path+"/"+name, v)
				}
			}
		}
	}
	walk("", d)
	components := d["components"].(map[string]any)
	for name, h := range components["headers"].(map[string]any) {
		assert.NotEmpty(t, h.(map[string]any)["description"], name)
		assert.NotEmpty(t, h.(map[string]any)["example"], name)
	}
	failure := components["schemas"].(map[string]any)["ErrorBody"].(map[string]any)["properties"].(map[string]any)
	assert.Equal(t, true, failure["upgrade_url"].(map[string]any)["deprecated"], "it is the older name")
	assert.NotContains(t, failure["actionUrl"], "deprecated")
	assert.Greater(t, properties, 290)
}
