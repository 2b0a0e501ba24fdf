package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// Go returns the sentences of a Go file's comments and messages. Its error is the
// parser's.
func Go(path string, content []byte) ([]Sentence, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	comments := &writer{path: path, source: Comments}
	for _, group := range file.Comments {
		comments.group(files, group)
	}
	messages := &writer{path: path, source: Messages}
	ast.Inspect(file, func(node ast.Node) bool { return messages.inspect(files, node) })
	return append(comments.sentences, messages.sentences...), nil
}

var (
	directive = regexp.MustCompile(`^//[a-z]+:\S|^//nolint`)
	listItem  = regexp.MustCompile(`^\s*(?:[-*+•]|\d+[.)])\s+`)
)

// group reads a comment: paragraphs and lists, without code, headings and directives.
func (w *writer) group(files *token.FileSet, group *ast.CommentGroup) {
	for _, comment := range group.List {
		if directive.MatchString(comment.Text) {
			continue
		}
		number := files.Position(comment.Pos()).Line
		body := strings.TrimSuffix(comment.Text[2:], "*/")
		for i, text := range strings.Split(body, "\n") {
			w.commentLine(number+i, text)
		}
	}
	w.end()
}

func (w *writer) commentLine(number int, text string) {
	item := listItem.FindString(text)
	code := strings.HasPrefix(text, "\t") && item == ""
	heading := strings.HasPrefix(text, " # ")
	switch {
	case code, heading, strings.TrimSpace(text) == "":
		w.end()
	case item != "":
		w.end()
		w.add(number, text[len(item):])
	default:
		w.add(number, text)
	}
}

// inspect reads the string literals of a node. Parts that a plus joins are one text.
func (w *writer) inspect(files *token.FileSet, node ast.Node) bool {
	switch node := node.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.Field: // its tag is not text
		return false
	case *ast.BinaryExpr:
		return !w.message(files, node)
	case *ast.BasicLit:
		w.message(files, node)
	}
	return true
}

// notProse matches literals for machines: SQL, markup, patterns and shell scripts.
var notProse = regexp.MustCompile(`\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WHERE|VALUES|AND|JOIN|ORDER BY)\b|[<>{}$\\=]|::|&&|\|\|`)

func (w *writer) message(files *token.FileSet, node ast.Expr) bool {
	text, ok := literal(node)
	if !ok {
		return false
	}
	if notProse.MatchString(text) {
		return true
	}
	number := files.Position(node.Pos()).Line
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		w.add(number, strings.Join(strings.Fields(paragraph), " "))
		w.end()
	}
	return true
}

// literal returns the text of a literal, or of literals that a plus joins. literal
// writes a dash for a computed part.
func literal(node ast.Expr) (text string, ok bool) {
	switch node := node.(type) {
	case *ast.BasicLit:
		if node.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(node.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		if node.Op != token.ADD {
			return "", false
		}
		left, leftOK := literal(node.X)
		right, rightOK := literal(node.Y)
		if !leftOK && !rightOK {
			return "", false
		}
		return part(left, leftOK) + part(right, rightOK), true
	}
	return "", false
}

func part(text string, ok bool) string {
	if !ok {
		return "–"
	}
	return text
}
