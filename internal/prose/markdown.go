package main

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	fence   = regexp.MustCompile("^\\s*(?:```|~~~)")
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	target  = regexp.MustCompile(`\]\([^)]*\)`)
)

// MarkdownFile returns the sentences of a Markdown file: of paragraphs, list items and
// the cells of tables, without code, headings and the targets of links.
func MarkdownFile(path, content string) []Sentence {
	w := &writer{path: path, source: Markdown}
	content = comment.ReplaceAllStringFunc(content, func(text string) string {
		return strings.Repeat("\n", strings.Count(text, "\n"))
	})
	code := false
	for i, text := range strings.Split(content, "\n") {
		if fence.MatchString(text) {
			code = !code
			w.end()
			continue
		}
		if !code {
			w.markdownLine(i+1, target.ReplaceAllString(text, "]"))
		}
	}
	w.end()
	return w.sentences
}

func (w *writer) markdownLine(number int, text string) {
	item := listItem.FindString(text)
	indented := strings.HasPrefix(text, "    ") && len(w.paragraph) == 0
	switch {
	case strings.TrimSpace(text) == "", strings.HasPrefix(text, "#"), indented && item == "":
		w.end()
	case strings.HasPrefix(text, "|"):
		w.end()
		for cell := range strings.SplitSeq(text, "|") {
			w.add(number, cell)
			w.end()
		}
	case item != "":
		w.end()
		w.add(number, text[len(item):])
	default:
		w.add(number, text)
	}
}

// quoted is a JSON string.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// PageFile returns the sentences of the website's texts: JSON in which each line has a
// name and its text, or the text's plural forms. A text without a mark at its end is a
// label or a heading.
func PageFile(path, content string) []Sentence {
	w := &writer{path: path, source: Page}
	for i, text := range strings.Split(content, "\n") {
		for _, value := range quoted.FindAllString(text, -1) {
			plain, err := strconv.Unquote(value)
			if err == nil && strings.ContainsAny(lastRune(plain), ".!?…") { // an escape that exists only in JSON occurs in no sentence
				w.add(i+1, plain)
				w.end()
			}
		}
	}
	return w.sentences
}

func lastRune(text string) string {
	_, size := utf8.DecodeLastRuneInString(text)
	return text[len(text)-size:]
}
