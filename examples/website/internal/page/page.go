// Package page renders the pages of the website: the server renders whole pages, and small
// modules make them live.
//
//	pages, err := page.New(web.Options{API: visitors.Permit(api), Visitors: visitors, Accounts: accounts})
//	mux.Handle("/", visitors.Identify(pages))
//
// A page calls the API with package client, in the same process and on behalf of the visitor in
// the request's context (package visitor). All content is readable without JavaScript, and all
// forms are plain forms. The modules in assets call the same API under /web/v1. Every text of
// the pages is in strings, with a file for each language.
//
// The handlers are in rooms: package order asks for texts, package text shows them, and package settings
// is about the account, and package admin is for administrators. To add a page, write a line in AddTo of a room, a file with its handler, and a
// template of the same name that defines "title" and "main". If the page must be live, also write a
// module in assets, which the template names in "modules".
package page

import (
	"embed"
	"html/template"
	"net/http"
	"sync"

	"github.com/klauspost/compress/gzhttp"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/admin"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/order"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/settings"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/text"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
)

//go:embed assets strings templates
var files embed.FS

// readContent reads the files once for all sites of the process.
var readContent = sync.OnceValues(func() (*web.Content, error) {
	return web.ReadContent(files, template.FuncMap{"change": order.ChangePath})
})

// New makes the handler of all pages and their assets. Its requests need a visitor in their
// context. An error means a fault of this package: a wrong template or text.
func New(o web.Options) (http.Handler, error) {
	content, err := readContent()
	if err != nil {
		return nil, err
	}
	all, err := web.New(o, content)
	if err != nil {
		return nil, err
	}
	admin.AddTo(all)
	order.AddTo(all)
	text.AddTo(all)
	settings.AddTo(all)
	all.Handle(web.MaxForm, web.Routes{"GET /docs": showDocs, "GET /docs/{page...}": showDocs})
	return gzhttp.GzipHandler(all), nil
}
