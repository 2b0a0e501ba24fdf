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
	"io"
	"log/slog"
	"net/http"
	"sync"

	"github.com/klauspost/compress/gzhttp"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

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
	*Site
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
	if p.Site, err = newSite(o); err != nil {
		return nil, err
	}
	p.addRoutes()
	return gzhttp.GzipHandler(p.mux), nil
}

// addRoutes adds all pages.
func (p *pages) addRoutes() {
	p.Handle(maxForm, Routes{
		"GET /{$}":                                           p.start,
		"GET /anywhere":                                      p.anywhere,
		"GET /manifest.webmanifest":                          p.manifest,
		"GET /jobs/{id}":                                     p.job,
		"POST /jobs/{id}/cancel":                             p.cancelJob,
		"GET /transcripts/{platform}/{externalId}":           p.transcript,
		"POST /transcripts/{platform}/{externalId}":          p.inLanguage,
		"GET /transcripts/{platform}/{externalId}/download":  p.downloadText,
		"GET /transcripts/{platform}/{externalId}/copy":      p.copyText,
		"GET /transcripts/{platform}/{externalId}/edit":      member(p.editForm),
		"POST /transcripts/{platform}/{externalId}/speakers": member(p.nameSpeaker),
		"GET /transcripts/{platform}/{externalId}/history":   member(p.history),
		"POST /transcripts/{platform}/{externalId}/history":  member(p.restore),
		"GET /transcripts/{platform}/{externalId}/import":    member(p.importForm),
		"GET /library/import":                                member(p.importForm),
		"GET /sign-in":                                       p.signInPage,
		"GET /sign-up":                                       p.signUpPage,
		"POST /sign-up":                                      p.signUp,
		"POST /sign-out":                                     p.signOut,
		"GET /account":                                       ofUser(p.account),
		"POST /account/password":                             ofUser(p.changePassword),
		"POST /account/sessions":                             ofUser(p.signOutElsewhere),
		"GET /account/export":                                ofUser(p.exportAccount),
		"POST /account/remove":                               ofUser(p.removeAccount),
		"GET /removed":                                       p.removed,
		"GET /batches":                                       member(p.batches),
		"GET /batches/{id}":                                  member(p.batch),
		"POST /batches/{id}/retry":                           member(p.retryBatch),
		"POST /batches/{id}/cancel":                          member(p.cancelBatch),
		"POST /batches/{id}/delete":                          member(p.deleteBatch),
		"GET /follows":                                       member(p.follows),
		"GET /follows/{id}":                                  member(p.follow),
		"POST /follows/{id}/pause":                           member(p.changeFollow),
		"POST /follows/{id}/resume":                          member(p.changeFollow),
		"POST /follows/{id}/delete":                          member(p.changeFollow),
		"GET /webhooks":                                      member(p.webhooks),
		"POST /webhooks":                                     member(p.createWebhook),
		"GET /webhooks/{id}":                                 member(p.webhook),
		"POST /webhooks/{id}":                                member(p.rotateWebhook),
		"POST /webhooks/{id}/pause":                          member(p.changeWebhook),
		"POST /webhooks/{id}/resume":                         member(p.changeWebhook),
		"POST /webhooks/{id}/test":                           member(p.changeWebhook),
		"POST /webhooks/{id}/delete":                         member(p.changeWebhook),
		"POST /webhooks/{id}/resend":                         member(p.resend),
		"POST /webhooks/{id}/deliveries/{delivery}/resend":   member(p.resend),
		"GET /usage":                                         member(p.usage),
		"GET /feed":                                          member(p.feed),
		"POST /feed":                                         member(p.renewFeed),
		"POST /feed/delete":                                  member(p.deleteFeed),
		"GET /keys":                                          member(p.keys),
		"POST /keys":                                         member(p.createKey),
		"POST /keys/{prefix}/revoke":                         member(p.revokeKey),

		"GET /transcripts/{platform}/{externalId}/share":           member(p.share),
		"POST /transcripts/{platform}/{externalId}/share":          member(p.makeShare),
		"POST /transcripts/{platform}/{externalId}/share/{id}/end": member(p.endShare),
		"GET /shared/{token}":                                      ofLink(p.shared),
		"GET /shared/{token}/copy":                                 ofLink(p.copyShared),
		"GET /shared/{token}/download":                             ofLink(p.downloadShared),

		"GET /discover":                member(p.discover),
		"POST /discover":               member(p.takeFound),
		"GET /discover/channels/{id}":  member(p.channel),
		"GET /discover/playlists/{id}": member(p.playlist),
		"GET /library":                 member(p.library),
		"GET /library/export":          member(p.exportTexts),
		"POST /library/transcripts/{platform}/{externalId}/star": member(p.star),
	})
	p.Handle(maxLinks, Routes{"POST /transcripts": p.submit})
	p.Handle(maxBatchBytes+maxForm, Routes{"POST /batches": member(p.createBatch)})
	p.Handle(maxListBytes+maxForm, Routes{"POST /follows": member(p.createFollows)})
	p.Handle(maxLinesBytes, Routes{"POST /transcripts/{platform}/{externalId}/edit": member(p.correct)})
	p.Handle(maxImportBytes+maxForm, Routes{
		"POST /library/import":                             member(p.importFile),
		"POST /transcripts/{platform}/{externalId}/import": member(p.importFile),
	})
	p.Handle(3*maxHeld+maxForm, Routes{"POST /sign-in": p.signIn}) // the form that it holds is encoded again
}
