// Package docs has the documents of the service, and shows them as pages.
//
//	if page, ok := docs.Find("/docs", "guides/errors"); ok {
//		err = layout.Execute(w, page)
//	}
//
// The first page has the path "". Each document has a page of the same name, as "guides/errors",
// and each operation of the API has a page with all types that it uses, as "operations/getUsage".
package docs

import (
	"bytes"
	"embed"
	"html/template"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

//go:embed *.md guides operate reference
var files embed.FS

// documents are read for the first page.
var documents = sync.OnceValue(read)

// Page is a document in English, as HTML.
type Page struct {
	Title string        // plain text
	HTML  template.HTML // what stands in <main>, with an <h1>
}

// Find returns the page with a path. Root is where the first page is, as "/docs": the links
// between the pages begin with it. Find returns false if there is no such page.
func Find(root, path string) (Page, bool) {
	all := documents()
	found, ok := all.pages[path]
	if !ok {
		return Page{}, false
	}
	title, _, _ := strings.Cut(strings.TrimPrefix(found.text, "# "), "\n")
	return Page{title, found.render(func(link string) string { return all.address(root, found, link) })}, true
}

// Paths returns the paths of all pages, in no order.
func Paths() (all []string) {
	for path := range documents().pages {
		all = append(all, path)
	}
	return all
}

// address returns the address of a link on a page, or empty if the link leads out of the documents.
func (s *shelf) address(root string, from page, link string) string {
	if strings.HasPrefix(link, "https:") {
		return link
	}
	file, anchor, _ := strings.Cut(link, "#")
	if anchor != "" && from.has[anchor] && (file == "" || from.joined) {
		return "#" + anchor
	}
	name := from.file
	if file != "" {
		name = path.Join(path.Dir(from.file), file)
	}
	if operation, ok := s.operations[name+"#"+anchor]; ok {
		return root + "/operations/" + operation
	}
	to, ok := s.pages[pathOf(name)]
	if !ok {
		return ""
	}
	address := strings.TrimSuffix(root+"/"+pathOf(name), "/")
	if anchor != "" && to.has[anchor] {
		address += "#" + anchor
	}
	return address
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// ids names headings as links name them.
type ids struct{}

func (ids) Generate(heading []byte, _ ast.NodeKind) []byte { return []byte(anchor(string(heading))) }

func (ids) Put([]byte) {}

// render returns a page as HTML. A link without an address becomes its text, a tag is shown as it
// stands, and a comment is left out.
func (p page) render(address func(link string) string) template.HTML {
	source := []byte(p.text)
	root := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(ids{}))))
	var replaced []func()
	// The function returns no error, so Walk returns none.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			if n.Destination = []byte(address(string(n.Destination))); len(n.Destination) == 0 {
				replaced = append(replaced, func() { replace(n, children(n)...) })
			}
		case *ast.Heading:
			if n.Level == 1 {
				n.RemoveAttributes() // a type may have the same name
			}
		case *ast.RawHTML:
			replaced = append(replaced, func() { replace(n, ast.NewString(n.Segments.Value(source))) })
		case *ast.HTMLBlock:
			replaced = append(replaced, func() { replace(n) })
		}
		return ast.WalkContinue, nil
	})
	for _, f := range replaced { // a walk needs the tree as it is
		f()
	}
	var html bytes.Buffer
	_ = markdown.Renderer().Render(&html, source, root) // a buffer takes everything
	return template.HTML(html.String())                 //nolint:gosec // it is made of the documents of this package
}

func replace(n ast.Node, by ...ast.Node) {
	parent := n.Parent()
	for _, other := range by {
		parent.InsertBefore(parent, n, other)
	}
	parent.RemoveChild(parent, n)
}

func children(n ast.Node) (all []ast.Node) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		all = append(all, child)
	}
	return all
}
