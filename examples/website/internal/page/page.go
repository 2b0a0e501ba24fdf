// Package page renders the pages of the website: the server renders whole pages, and small
// modules make them live.
//
//	pages, err := page.New(page.Options{API: visitors.Permit(api), Visitors: visitors, Accounts: accounts})
//	mux.Handle("/", visitors.Identify(pages))
//
// A page calls the API with package client, in the same process and on behalf of the visitor in
// the request's context (package visitor). All content is readable without JavaScript, and all
// forms are plain forms. The modules in assets call the same API under /web/v1. Every text of
// the pages is in strings, with a file for each language.
//
// To add a page, write a line in routes, a file with its handler, and a template of the same
// name that defines "title" and "main". If the page must be live, also write a module in
// assets, which the template names in "modules".
package page

import (
	"context"
	"embed"
	"html/template"
	"io"
	"log/slog"
	"net/http"

	"github.com/klauspost/compress/gzhttp"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/order"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/settings"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/text"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

//go:embed assets strings templates
var files embed.FS

// Options are the dependencies of the pages.
type Options struct {
	// API is the API with the permissions of visitors. Pages call it as the visitor in the
	// request's context.
	API http.Handler
	// Visitors signs visitors in and out.
	Visitors *visitor.Visitors
	// Accounts makes and revokes keys.
	Accounts *account.Accounts
	// Export writes everything that an account has into w as a ZIP file, and Remove removes an
	// account for good. A page for both is shown to users.
	Export func(ctx context.Context, account string, w io.Writer) error
	Remove func(ctx context.Context, account string) error
	// Sites is the platform table for pasted links and for links to a platform's player; nil:
	// the table of the public sites.
	Sites *site.Table
	// Example is a link that the start page offers to try, and Uncaptioned a link to a
	// recording that needs recognition; empty: none.
	Example, Uncaptioned string
	// Log receives errors; nil: nothing is logged.
	Log *slog.Logger
}

// New makes the handler of all pages and their assets. Its requests need a visitor in their
// context. An error means a fault of this package: a wrong template or text.
func New(o Options) (http.Handler, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Sites == nil {
		o.Sites = site.Default()
	}
	all, err := web.New(web.Options{
		API: o.API, Visitors: o.Visitors, Accounts: o.Accounts, Sites: o.Sites, Log: o.Log,
		Files: files, Funcs: template.FuncMap{"place": order.PlaceOf, "change": order.ChangePath},
	})
	if err != nil {
		return nil, err
	}
	order.AddTo(all, o.Example, o.Uncaptioned)
	text.AddTo(all)
	settings.AddTo(all, o.Export, o.Remove)
	return gzhttp.GzipHandler(all), nil
}
