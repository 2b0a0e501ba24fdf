// Package page is what people see of the website: pages that the server renders whole,
// and small modules that make them live.
//
//	pages, err := page.New(page.Options{API: visitors.Permit(api), Visitors: visitors, Accounts: accounts})
//	mux.Handle("/", visitors.Identify(pages))
//
// A page asks the API by package client, in the same process and on behalf of the
// visitor in the request's context (package visitor). Whatever is to be read is there
// without JavaScript, and forms are plain forms; the modules in assets ask the same API
// under /web/v1. Every text of the pages is in strings/en.json.
//
// To add a page: a line in routes, a file with its handler, a template of the same name
// that defines "title" and "main", and a module in assets if it has to be live, which
// the template names in "modules".
package page

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/klauspost/compress/gzhttp"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Options says what the pages stand on.
type Options struct {
	// API is the API as visitors may use it. Pages reach it as the visitor in the
	// request's context.
	API http.Handler
	// Visitors are who sign in and out.
	Visitors *visitor.Visitors
	// Accounts are where keys are made and revoked.
	Accounts *account.Accounts
	// Sites know what links lead to, and the links to a platform's player; nil: those of the
	// public sites.
	Sites *site.Table
	// Example is a link that the start page offers to try, and Uncaptioned one to
	// something whose speech has to be recognized; empty: none.
	Example, Uncaptioned string
	// Log receives what goes wrong; nil: nothing is logged.
	Log *slog.Logger
}

// pages is the website's handler, and what its pages share.
type pages struct {
	Options
	api     *client.Client
	assets  *assets
	strings catalog
	views   views
	forms   forms
}

// New makes the handler of all pages and their assets. Its requests need a visitor in
// their context. The error is a fault of this package: a template or a text that is
// wrong.
func New(o Options) (http.Handler, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Sites == nil {
		o.Sites = site.Default()
	}
	p := &pages{Options: o, forms: forms{owners: map[string]int64{}}}
	var err error
	if p.strings, err = readCatalog(); err != nil {
		return nil, err
	}
	if p.assets, err = readAssets(p.strings); err != nil {
		return nil, err
	}
	if p.views, err = parseViews(p.strings, p.assets); err != nil {
		return nil, err
	}
	if p.api, err = InProcess(o.API); err != nil {
		return nil, err
	}
	return gzhttp.GzipHandler(p.routes()), nil
}

// handler answers a request, or says why it cannot.
type handler func(http.ResponseWriter, *http.Request) error

// routes are the pages.
func (p *pages) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", p.assets)
	for pattern, answer := range map[string]handler{
		"GET /{$}":               p.start,
		"POST /transcripts":      p.submit,
		"GET /jobs/{id}":         p.job,
		"POST /jobs/{id}/cancel": p.cancelJob,
		"GET /transcripts/{platform}/{externalId}":          p.transcript,
		"POST /transcripts/{platform}/{externalId}":         p.inLanguage,
		"GET /transcripts/{platform}/{externalId}/download": p.downloadText,
		"GET /sign-in":               p.signInPage,
		"POST /sign-in":              p.signIn,
		"GET /sign-up":               p.signUpPage,
		"POST /sign-up":              p.signUp,
		"POST /sign-out":             p.signOut,
		"GET /account":               p.ofUser(p.account),
		"POST /account/password":     p.ofUser(p.changePassword),
		"POST /account/sessions":     p.ofUser(p.signOutElsewhere),
		"GET /batches":               member(p.batches),
		"POST /batches":              member(p.createBatch),
		"GET /batches/{id}":          member(p.batch),
		"POST /batches/{id}/retry":   member(p.retryBatch),
		"POST /batches/{id}/cancel":  member(p.cancelBatch),
		"POST /batches/{id}/delete":  member(p.deleteBatch),
		"GET /usage":                 member(p.usage),
		"GET /keys":                  member(p.keys),
		"POST /keys":                 member(p.createKey),
		"POST /keys/{prefix}/revoke": member(p.revokeKey),
		"/":                          p.nothing,

		"GET /discover":                member(p.discover),
		"POST /discover":               member(p.takeFound),
		"GET /discover/channels/{id}":  member(p.channel),
		"GET /discover/playlists/{id}": member(p.playlist),
		"GET /library":                 member(p.library),
		"POST /library/transcripts/{platform}/{externalId}/star": member(p.star),
	} {
		mux.Handle(pattern, p.answering(answer, cmp.Or(largeForms[pattern], maxForm)))
	}
	return mux
}

// maxForm is more than most forms have, in bytes: no page reads more, whatever it is sent.
const maxForm = 16 << 10

// largeForms are those that have more.
var largeForms = map[string]int64{
	"POST /transcripts": maxLinks,
	"POST /batches":     maxBatchBytes + maxForm,
}

// member is a page for those with an account: others are led to sign in, and back to it.
func member(answer handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if visitor.From(r.Context()).Known() {
			return answer(w, r)
		}
		to := signInPath
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			to += "?next=" + url.QueryEscape(r.URL.RequestURI())
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
		return nil
	}
}

// answering reads no more of a form than it may have, and shows the error of a handler,
// or its panic, as a page.
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
			if r.MultipartForm != nil { // net/http removes the files of the request that it has made, not of a copy
				_ = r.MultipartForm.RemoveAll() // what cannot be removed, whoever clears the folder removes
			}
		}()
		if err := caught(answer, w, r); err != nil {
			p.problem(w, r, err)
		}
	})
}

// caught makes an error of a panic: a page is sent whole or not at all, so that another
// can take its place. What is cut off on purpose stays so.
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
