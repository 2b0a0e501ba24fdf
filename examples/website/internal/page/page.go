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
	"sync"

	"github.com/klauspost/compress/gzhttp"

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

// pages are the pages of the website, with the state of those that have some.
type pages struct {
	*web.Site
	options   Options
	exporting *sync.Mutex // held while the export of an account is written
	exports   *sync.Map   // the accounts whose exports are written or sent
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
	p := pages{options: o, exporting: new(sync.Mutex), exports: new(sync.Map)}
	var err error
	if p.Site, err = web.New(web.Options{
		API: o.API, Visitors: o.Visitors, Accounts: o.Accounts, Sites: o.Sites, Log: o.Log,
		Files: files, Funcs: template.FuncMap{"place": placeOf, "change": changePath},
	}); err != nil {
		return nil, err
	}
	text.AddTo(p.Site)
	p.addRoutes()
	return gzhttp.GzipHandler(p.Site), nil
}

// addRoutes adds all pages.
func (p *pages) addRoutes() {
	p.Handle(web.MaxForm, web.Routes{
		"GET /{$}":                                         p.start,
		"GET /anywhere":                                    p.anywhere,
		"GET /manifest.webmanifest":                        p.manifest,
		"GET /jobs/{id}":                                   p.job,
		"POST /jobs/{id}/cancel":                           p.cancelJob,
		"POST /transcripts/{platform}/{externalId}":        p.inLanguage,
		"GET /sign-in":                                     p.signInPage,
		"GET /sign-up":                                     p.signUpPage,
		"POST /sign-up":                                    p.signUp,
		"POST /sign-out":                                   p.signOut,
		"GET /account":                                     ofUser(p.account),
		"POST /account/password":                           ofUser(p.changePassword),
		"POST /account/sessions":                           ofUser(p.signOutElsewhere),
		"GET /account/export":                              ofUser(p.exportAccount),
		"POST /account/remove":                             ofUser(p.removeAccount),
		"GET /removed":                                     p.removed,
		"GET /batches":                                     web.Member(p.batches),
		"GET /batches/{id}":                                web.Member(p.batch),
		"POST /batches/{id}/retry":                         web.Member(p.retryBatch),
		"POST /batches/{id}/cancel":                        web.Member(p.cancelBatch),
		"POST /batches/{id}/delete":                        web.Member(p.deleteBatch),
		"GET /follows":                                     web.Member(p.follows),
		"GET /follows/{id}":                                web.Member(p.follow),
		"POST /follows/{id}/pause":                         web.Member(p.changeFollow),
		"POST /follows/{id}/resume":                        web.Member(p.changeFollow),
		"POST /follows/{id}/delete":                        web.Member(p.changeFollow),
		"GET /webhooks":                                    web.Member(p.webhooks),
		"POST /webhooks":                                   web.Member(p.createWebhook),
		"GET /webhooks/{id}":                               web.Member(p.webhook),
		"POST /webhooks/{id}":                              web.Member(p.rotateWebhook),
		"POST /webhooks/{id}/pause":                        web.Member(p.changeWebhook),
		"POST /webhooks/{id}/resume":                       web.Member(p.changeWebhook),
		"POST /webhooks/{id}/test":                         web.Member(p.changeWebhook),
		"POST /webhooks/{id}/delete":                       web.Member(p.changeWebhook),
		"POST /webhooks/{id}/resend":                       web.Member(p.resend),
		"POST /webhooks/{id}/deliveries/{delivery}/resend": web.Member(p.resend),
		"GET /usage":                                       web.Member(p.usage),
		"GET /feed":                                        web.Member(p.feed),
		"POST /feed":                                       web.Member(p.renewFeed),
		"POST /feed/delete":                                web.Member(p.deleteFeed),
		"GET /keys":                                        web.Member(p.keys),
		"POST /keys":                                       web.Member(p.createKey),
		"POST /keys/{prefix}/revoke":                       web.Member(p.revokeKey),

		"GET /discover":                web.Member(p.discover),
		"POST /discover":               web.Member(p.takeFound),
		"GET /discover/channels/{id}":  web.Member(p.channel),
		"GET /discover/playlists/{id}": web.Member(p.playlist),
	})
	p.Handle(maxLinks, web.Routes{"POST /transcripts": p.submit})
	p.Handle(maxBatchBytes+web.MaxForm, web.Routes{"POST /batches": web.Member(p.createBatch)})
	p.Handle(maxListBytes+web.MaxForm, web.Routes{"POST /follows": web.Member(p.createFollows)})
	p.Handle(3*web.MaxHeld+web.MaxForm, web.Routes{"POST /sign-in": p.signIn}) // the form that it holds is encoded again
}
