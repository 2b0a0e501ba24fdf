package openapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the layout
	"encoding/base64"
	"fmt"
	"html/template"
	"sync"

	"github.com/transcriptkit/transcriptkit/docs"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

var (
	//go:embed docs.html
	docsHTML string
	//go:embed docs.css
	docsStyle string

	docsLayout = sync.OnceValue(func() *template.Template { return template.Must(template.New("docs").Parse(docsHTML)) })
)

// Pages shows the documents of the service to people in a browser. A page is one file without
// scripts. Pages keeps each page that was asked for.
type Pages struct {
	Root string // the path of the first page
	made sync.Map
}

// Page is a document.
type Page struct {
	HTML *packed.Bytes
	ETag string
}

// Find returns the page with a path, as [docs.Find] has it.
func (p *Pages) Find(path string) (found Page, ok bool, err error) {
	if made, ok := p.made.Load(path); ok {
		return made.(Page), true, nil
	}
	page, ok := docs.Find(p.Root, path)
	if !ok {
		return found, false, nil
	}
	var html bytes.Buffer
	shown := struct {
		Page  docs.Page
		Root  string
		Style template.CSS
	}{page, p.Root, template.CSS(docsStyle)} //nolint:gosec // it is compiled in
	if err := docsLayout().Execute(&html, shown); err != nil {
		return found, false, err
	}
	found = Page{HTML: packed.Pack(html.Bytes()), ETag: fmt.Sprintf(`"%x"`, sha256.Sum256(html.Bytes()))[:19] + `"`}
	p.made.Store(path, found)
	return found, true, nil
}

// PagePolicy is the Content-Security-Policy of the pages: it permits their style and nothing else.
func PagePolicy() string {
	sum := sha256.Sum256([]byte(docsStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
