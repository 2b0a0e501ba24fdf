package main_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	prose "github.com/transcriptkit/transcriptkit/internal/prose"
)

func TestRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text   string
		breaks string // the names of the rules, with commas between them
	}{
		{"The client asks again after a second.", ""},
		{"Who asks again gets the same answer.", "clause first"},
		{"What cannot be read is left out.", "clause first"},
		{"Where the list has no language, English is taken.", "clause first"},
		{"How long a lease lasts is a setting.", "clause first"},
		{"That the row is gone shows later.", "clause first"},
		{"Whoever asks again waits for longer.", "clause first, riddle words"},
		{"What does a client send first?", ""},
		{"what a client has sent so far", ""},
		{"That is why the row stays.", ""},
		{"Whatsoever is a word of its own here.", ""},
		{"The batch knows which item it asked for, and which one it still has.", "five pronouns"},
		{"The batch knows which item it asked for, and which item it still has.", ""},
		{"The new row is written in the place of the old row.", "riddle words"},
		{"All rows go, but for the newest row.", "riddle words"},
		{"The key lies beside the row, and nobody reads the key.", "riddle words"},
		{"The service opens the file anew.", "riddle words"},
		{"The besieged server renews the lease in this place.", ""},
	} {
		var names []string
		for _, rule := range prose.Rules {
			if rule.Breaks(test.text) {
				names = append(names, rule.Name)
			}
		}
		assert.Equal(t, test.breaks, strings.Join(names, ", "), test.text)
	}
}

const goFile = `// Package p has a first sentence that goes on
// in a second line. What cannot be read is left out.
//
// # A heading of five whole words
//
//	code with five or more words
//
//   - an item of five whole words
//   - too short
//
//go:generate go run five words of a directive
package p

import "an import path with words"

type row struct {
	tag string ` + "`json:\"a tag with five words\"`" + ` // a label of five whole words
}

/* A block with one sentence
over two lines. */
var err = errors.New("the file has no line " +
	"and the reader stops here")

const query = "SELECT five words from a table"

var text = "line " + number + " has too many bytes"
`

func TestGo(t *testing.T) {
	t.Parallel()
	sentences, err := prose.Go("p/p.go", []byte(goFile))
	require.NoError(t, err)
	assert.Equal(t, []prose.Sentence{
		{Path: "p/p.go", Line: 1, Source: prose.Comments, Text: "Package p has a first sentence that goes on in a second line."},
		{Path: "p/p.go", Line: 2, Source: prose.Comments, Text: "What cannot be read is left out."},
		{Path: "p/p.go", Line: 8, Source: prose.Comments, Text: "an item of five whole words"},
		{Path: "p/p.go", Line: 17, Source: prose.Comments, Text: "a label of five whole words"},
		{Path: "p/p.go", Line: 20, Source: prose.Comments, Text: "A block with one sentence over two lines."},
		{Path: "p/p.go", Line: 22, Source: prose.Messages, Text: "the file has no line and the reader stops here"},
		{Path: "p/p.go", Line: 27, Source: prose.Messages, Text: "line – has too many bytes"},
	}, sentences)
}

const markdownFile = `# A heading of five whole words

A paragraph goes on
in two lines. "Quoted" sentences begin like others.

- An item links [to a file](what/it/is.md) here.
  The item goes on here.

| A cell of five words | short |

~~~
What is in a fence is code.
~~~

<!-- What is in a comment
is for machines. -->
The last line has its number.
`

func TestMarkdown(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []prose.Sentence{
		{Path: "a.md", Line: 3, Source: prose.Markdown, Text: "A paragraph goes on in two lines."},
		{Path: "a.md", Line: 4, Source: prose.Markdown, Text: `"Quoted" sentences begin like others.`},
		{Path: "a.md", Line: 6, Source: prose.Markdown, Text: "An item links [to a file] here."},
		{Path: "a.md", Line: 7, Source: prose.Markdown, Text: "The item goes on here."},
		{Path: "a.md", Line: 9, Source: prose.Markdown, Text: "A cell of five words"},
		{Path: "a.md", Line: 17, Source: prose.Markdown, Text: "The last line has its number."},
	}, prose.MarkdownFile("a.md", markdownFile))
}

func TestTreeReadsEveryKindOfFile(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	sentences, err := prose.Tree(fstest.MapFS{
		"a.go":                {Data: []byte(goFile)},
		"a_test.go":           file("no Go at all"),
		"testdata/a.go":       file("no Go at all"),
		".hidden/a.go":        file("no Go at all"),
		"b/README.md":         file("A paragraph of five words."),
		"web/strings/en.json": file("{\n\"a\": \"What is left out here.\",\n\"b\": \"a label of five words\"\n}"),
		"web/en.json":         file("{\"a\": \"What is left out here.\"}"),
	})
	require.NoError(t, err)
	paths := map[string]int{}
	for _, sentence := range sentences {
		paths[sentence.Path]++
	}
	assert.Equal(t, map[string]int{"a.go": 7, "b/README.md": 1, "web/strings/en.json": 1}, paths)

	_, err = prose.Tree(fstest.MapFS{"a.go": file("no Go at all")})
	assert.ErrorContains(t, err, "a.go:1")
}

func TestFiguresCountOneKindOfText(t *testing.T) {
	t.Parallel()
	sentences := []prose.Sentence{
		{Source: prose.Page, Text: "What is left out here."},
		{Source: prose.Page, Text: "The page has four sentences."},
		{Source: prose.Page, Text: "The page has four sentences."},
		{Source: prose.Page, Text: "The page has four sentences."},
		{Source: prose.Comments, Text: "Nobody reads a comment here."},
	}
	figures := prose.Figures(sentences, prose.Page)
	require.Len(t, figures, len(prose.Rules))
	assert.Equal(t, 1, figures[0].Hits)
	assert.InDelta(t, 250, figures[0].PerThousand(), 0)
	assert.True(t, figures[0].Missed())
	for _, figure := range figures[1:] {
		assert.False(t, figure.Missed(), figure.Rule.Name)
	}
	assert.Zero(t, prose.Figures(nil, prose.Page)[0].PerThousand())
}
