package server_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
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

// The words of the document are those of the comments and of API.md. After a change
// to either: go generate ./server
func TestTextsAreCheckedIn(t *testing.T) {
	t.Parallel()
	texts := map[string]any{
		"Properties": fieldComments(t),
		"Values":     documentedValues(t),
		"Operations": documentedOperations(t),
	}
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

// documentedValues are the meanings of the values of each string type.
func documentedValues(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	for name, p := range readAPIDoc(t).at(t, 4) {
		rows, _ := p.table("Value") // others are objects
		for _, row := range rows {
			if all[name] == nil {
				all[name] = map[string]string{}
			}
			for _, value := range backticked(row[0]) {
				all[name][value] = unlinked(row[len(row)-1])
			}
		}
	}
	return all
}

type documentedOperation struct {
	Description string
	Request     json.RawMessage            `json:",omitempty"`
	Answers     map[string]json.RawMessage `json:",omitempty"`
}

var (
	jsonBody = regexp.MustCompile(`--json '([^']*)'`)
	asideOf  = regexp.MustCompile("Operation `(\\w+)`, [^.]*\\.")
)

// documentedOperations are the paragraphs of API.md that stand before an operation's
// first table or example, and its examples.
func documentedOperations(t *testing.T) map[string]documentedOperation {
	t.Helper()
	d := readAPIDoc(t)
	all, ids := map[string]documentedOperation{}, map[string]string{}
	for title, p := range d.at(t, 3) {
		aside := asideOf.FindStringSubmatch(p.text)
		if aside == nil {
			continue
		}
		words, _, _ := strings.Cut(strings.Replace(p.text, aside[0], "", 1), "\n|")
		words, _, _ = strings.Cut(words, "\n```")
		ids[title] = aside[1]
		all[aside[1]] = documentedOperation{Description: unlinked(words), Answers: map[string]json.RawMessage{}}
	}
	for _, e := range d.examples() {
		op, ok := all[ids[e.operation]]
		if !ok {
			continue
		}
		if m := jsonBody.FindStringSubmatch(e.command); m != nil && op.Request == nil {
			op.Request = compact(t, m[1])
		}
		if _, there := op.Answers[e.status]; !there && e.language == "json" {
			op.Answers[e.status] = compact(t, e.answer)
		}
		all[ids[e.operation]] = op
	}
	return all
}

func compact(t *testing.T, text string) json.RawMessage {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, []byte(text)), text)
	return b.Bytes()
}

// unlinked is Markdown without links: they lead to places that the document does not have.
func unlinked(text string) string {
	text = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(text, "$1")
	text = regexp.MustCompile(` *\n *`).ReplaceAllString(text, "\n")
	return strings.TrimSpace(regexp.MustCompile(`([^\n])\n([^\n])`).ReplaceAllString(text, "$1 $2"))
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
