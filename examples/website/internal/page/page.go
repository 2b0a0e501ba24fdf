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
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzhttp"
	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/client"
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

// pages is the website's handler in one language, with the state that all languages share.
type pages struct {
	Options
	api       *client.Client
	assets    *assets
	forms     *forms
	strings   *catalog
	views     views
	mux       *http.ServeMux // all routes
	exporting *sync.Mutex    // held while the export of an account is written
	exports   *sync.Map      // the accounts whose exports are written or sent
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
	p := pages{Options: o, forms: &forms{owners: map[string]int64{}}, exporting: new(sync.Mutex), exports: new(sync.Map)}
	catalogs, err := readCatalogs()
	if err != nil {
		return nil, err
	}
	if p.assets, err = readAssets(catalogs); err != nil {
		return nil, err
	}
	if p.api, err = InProcess(o.API); err != nil {
		return nil, err
	}
	all := multilingual{matcher: language.NewMatcher(languages)}
	for _, texts := range catalogs {
		p := p
		p.strings = texts
		if p.views, err = parseViews(p.strings, p.assets); err != nil {
			return nil, err
		}
		all.pages = append(all.pages, p.routes())
	}
	return gzhttp.GzipHandler(all), nil
}

// handler answers a request, or returns an error.
type handler func(http.ResponseWriter, *http.Request) error

// routes returns the handler of all pages.
func (p *pages) routes() http.Handler {
	p.mux = http.NewServeMux()
	p.mux.Handle("GET /assets/", p.assets)
	for pattern, answer := range map[string]handler{
		"GET /{$}":                                           p.start,
		"GET /anywhere":                                      p.anywhere,
		"GET /manifest.webmanifest":                          p.manifest,
		"POST /transcripts":                                  p.submit,
		"GET /jobs/{id}":                                     p.job,
		"POST /jobs/{id}/cancel":                             p.cancelJob,
		"GET /transcripts/{platform}/{externalId}":           p.transcript,
		"POST /transcripts/{platform}/{externalId}":          p.inLanguage,
		"GET /transcripts/{platform}/{externalId}/download":  p.downloadText,
		"GET /transcripts/{platform}/{externalId}/copy":      p.copyText,
		"GET /transcripts/{platform}/{externalId}/edit":      p.member(p.editForm),
		"POST /transcripts/{platform}/{externalId}/edit":     p.member(p.correct),
		"POST /transcripts/{platform}/{externalId}/speakers": p.member(p.nameSpeaker),
		"GET /transcripts/{platform}/{externalId}/history":   p.member(p.history),
		"POST /transcripts/{platform}/{externalId}/history":  p.member(p.restore),
		"GET /transcripts/{platform}/{externalId}/import":    p.member(p.importForm),
		"POST /transcripts/{platform}/{externalId}/import":   p.member(p.importFile),
		"GET /library/import":                                p.member(p.importForm),
		"POST /library/import":                               p.member(p.importFile),
		"POST /language":                                     p.chooseLanguage,
		"GET /sign-in":                                       p.signInPage,
		"POST /sign-in":                                      p.signIn,
		"GET /sign-up":                                       p.signUpPage,
		"POST /sign-up":                                      p.signUp,
		"POST /sign-out":                                     p.signOut,
		"GET /account":                                       p.ofUser(p.account),
		"POST /account/password":                             p.ofUser(p.changePassword),
		"POST /account/sessions":                             p.ofUser(p.signOutElsewhere),
		"GET /account/export":                                p.ofUser(p.exportAccount),
		"POST /account/remove":                               p.ofUser(p.removeAccount),
		"GET /removed":                                       p.removed,
		"GET /batches":                                       p.member(p.batches),
		"POST /batches":                                      p.member(p.createBatch),
		"GET /batches/{id}":                                  p.member(p.batch),
		"POST /batches/{id}/retry":                           p.member(p.retryBatch),
		"POST /batches/{id}/cancel":                          p.member(p.cancelBatch),
		"POST /batches/{id}/delete":                          p.member(p.deleteBatch),
		"GET /follows":                                       p.member(p.follows),
		"POST /follows":                                      p.member(p.createFollows),
		"GET /follows/{id}":                                  p.member(p.follow),
		"POST /follows/{id}/pause":                           p.member(p.changeFollow),
		"POST /follows/{id}/resume":                          p.member(p.changeFollow),
		"POST /follows/{id}/delete":                          p.member(p.changeFollow),
		"GET /webhooks":                                      p.member(p.webhooks),
		"POST /webhooks":                                     p.member(p.createWebhook),
		"GET /webhooks/{id}":                                 p.member(p.webhook),
		"POST /webhooks/{id}":                                p.member(p.rotateWebhook),
		"POST /webhooks/{id}/pause":                          p.member(p.changeWebhook),
		"POST /webhooks/{id}/resume":                         p.member(p.changeWebhook),
		"POST /webhooks/{id}/test":                           p.member(p.changeWebhook),
		"POST /webhooks/{id}/delete":                         p.member(p.changeWebhook),
		"POST /webhooks/{id}/resend":                         p.member(p.resend),
		"POST /webhooks/{id}/deliveries/{delivery}/resend":   p.member(p.resend),
		"GET /usage":                                         p.member(p.usage),
		"GET /feed":                                          p.member(p.feed),
		"POST /feed":                                         p.member(p.renewFeed),
		"POST /feed/delete":                                  p.member(p.deleteFeed),
		"GET /keys":                                          p.member(p.keys),
		"POST /keys":                                         p.member(p.createKey),
		"POST /keys/{prefix}/revoke":                         p.member(p.revokeKey),
		"/":                                                  p.nothing,

		"GET /transcripts/{platform}/{externalId}/share":           p.member(p.share),
		"POST /transcripts/{platform}/{externalId}/share":          p.member(p.makeShare),
		"POST /transcripts/{platform}/{externalId}/share/{id}/end": p.member(p.endShare),
		"GET /shared/{token}":                                      p.ofLink(p.shared),
		"GET /shared/{token}/copy":                                 p.ofLink(p.copyShared),
		"GET /shared/{token}/download":                             p.ofLink(p.downloadShared),

		"GET /discover":                p.member(p.discover),
		"POST /discover":               p.member(p.takeFound),
		"GET /discover/channels/{id}":  p.member(p.channel),
		"GET /discover/playlists/{id}": p.member(p.playlist),
		"GET /library":                 p.member(p.library),
		"GET /library/export":          p.member(p.exportTexts),
		"POST /library/transcripts/{platform}/{externalId}/star": p.member(p.star),
	} {
		if strings.HasPrefix(pattern, "POST ") && !formsOfAnybody[pattern] {
			answer = p.ofReader(answer)
		}
		p.mux.Handle(pattern, p.answering(answer, cmp.Or(largeForms[pattern], maxForm)))
	}
	return p.mux
}

// formsOfAnybody are the forms that do the same for everybody.
var formsOfAnybody = map[string]bool{"POST /language": true, "POST /sign-in": true, "POST /sign-up": true, "POST /sign-out": true}

// maxForm bounds the form of a request, in bytes. It exceeds the size of most forms.
const maxForm = 16 << 10

// largeForms are the routes with larger forms.
var largeForms = map[string]int64{
	"POST /sign-in":        3*maxHeld + maxForm, // the form that it holds is encoded again
	"POST /transcripts":    maxLinks,
	"POST /batches":        maxBatchBytes + maxForm,
	"POST /follows":        maxListBytes + maxForm,
	"POST /library/import": maxImportBytes + maxForm,
	"POST /transcripts/{platform}/{externalId}/import": maxImportBytes + maxForm,
	"POST /transcripts/{platform}/{externalId}/edit":   maxLinesBytes,
}

// member wraps a page for visitors with an account. Other visitors are redirected to sign in,
// and then return.
func (p *pages) member(answer handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if visitor.From(r.Context()).Known() {
			return answer(w, r)
		}
		next := r.URL.RequestURI()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			if next = p.pageOf(r); next == "/" {
				next = "" // where the sign-in page leads anyway
			}
		}
		http.Redirect(w, r, withQuery(signInPath, "next", next), http.StatusSeeOther)
		return nil
	}
}

// answering bounds the size of a form, and shows the error or panic of a handler as a page.
func (p *pages) answering(answer handler, mostBytes int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if mostBytes > maxForm {
			release, err := p.holdForm(r, mostBytes)
			defer release()
			if err != nil {
				p.problem(w, r, err)
				return
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBytes)
		defer func() {
			if r.MultipartForm != nil { // net/http removes only the files of its own request, not those of a copy
				_ = r.MultipartForm.RemoveAll() // remaining files are removed with the temporary folder
			}
		}()
		if err := caught(answer, w, r); err != nil {
			p.problem(w, r, err)
		}
	})
}

// caught turns a panic into an error. A page is sent whole or not at all, so the error page can
// replace it. Deliberately aborted answers stay aborted.
func caught(answer handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if crash := recover(); crash != nil {
			if err = crashOf(crash); errors.Is(err, errBroken) {
				panic(crash)
			}
		}
	}()
	return answer(w, r)
}
